// SPDX-License-Identifier: GPL-2.0
/*
 * The event counters of a network driver as NetBSD's drivers write them: members of the softc and of each
 * queue, macros that count, names made by a macro.
 *
 * It shows that such code compiles with only the changes that Documentation/porting.rst lists.
 * Each changed line is marked "porting:", with the text of the left column there. A style check
 * compares the two. tests/guest/parts/test-ported.sh checks the numbers.
 *
 *	echo "tx QUEUE COUNT" >/sys/module/ported_wm/parameters/do
 *	rx QUEUE COUNT		COUNT packets of 60 bytes
 *	link			the link changes
 *	stats VALUE		a counter of the device is read, and stored
 *	clear			all counters of the device become 0
 */

#include <iostat/evcnt.h>	/* porting: <sys/evcnt.h> */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#define WM_NQUEUES	2

#define WM_Q_EVCNT_DEFINE(qname, evname)					\
	char qname##_##evname##_evcnt_name[sizeof("qname##XX##evname")];	\
	struct evcnt qname##_ev_##evname
#define WM_Q_EVCNT_ATTACH(qname, evname, q, qnum, xname, evtype)		\
do {										\
	snprintf((q)->qname##_##evname##_evcnt_name,				\
		 sizeof((q)->qname##_##evname##_evcnt_name),			\
		 "%s%02d%s", #qname, (qnum), #evname);				\
	evcnt_attach_dynamic(&(q)->qname##_ev_##evname, (evtype), NULL, (xname),	\
			     (q)->qname##_##evname##_evcnt_name);		\
} while (0)

#define WM_EVCNT_INCR(ev)	evcnt_inc(ev)		/* porting: ev_count++ */
#define WM_EVCNT_ADD(ev, val)	evcnt_add((ev), (val))	/* porting: ev_count++ */
#define WM_EVCNT_STORE(ev, val)	evcnt_set((ev), (val))	/* porting: ev_count = n */
#define WM_Q_EVCNT_INCR(q, evname)	WM_EVCNT_INCR(&(q)->q##_ev_##evname)

struct wm_txqueue {
	WM_Q_EVCNT_DEFINE(txq, packets);
	WM_Q_EVCNT_DEFINE(txq, txdw);
};

struct wm_rxqueue {
	WM_Q_EVCNT_DEFINE(rxq, packets);
	WM_Q_EVCNT_DEFINE(rxq, intr);
};

struct wm_softc {
	struct wm_txqueue sc_txq[WM_NQUEUES];
	struct wm_rxqueue sc_rxq[WM_NQUEUES];
	struct evcnt sc_ev_linkintr;
	struct evcnt sc_ev_crcerrs;
	struct evcnt sc_ev_goctets;
};

static struct wm_softc sc;
static const char wm_xname[] = "ported_wm0";

static void wm_attach(struct wm_softc *sc)
{
	int i;

	for (i = 0; i < WM_NQUEUES; i++) {
		struct wm_txqueue *txq = &sc->sc_txq[i];
		struct wm_rxqueue *rxq = &sc->sc_rxq[i];

		WM_Q_EVCNT_ATTACH(txq, packets, txq, i, wm_xname, EVCNT_TYPE_MISC);
		WM_Q_EVCNT_ATTACH(txq, txdw, txq, i, wm_xname, EVCNT_TYPE_INTR);
		WM_Q_EVCNT_ATTACH(rxq, packets, rxq, i, wm_xname, EVCNT_TYPE_MISC);
		WM_Q_EVCNT_ATTACH(rxq, intr, rxq, i, wm_xname, EVCNT_TYPE_INTR);
	}
	evcnt_attach_dynamic(&sc->sc_ev_linkintr, EVCNT_TYPE_INTR, NULL, wm_xname, "linkintr");
	evcnt_attach_dynamic(&sc->sc_ev_crcerrs, EVCNT_TYPE_MISC, NULL, wm_xname, "CRC Error");
	evcnt_attach_dynamic(&sc->sc_ev_goctets, EVCNT_TYPE_MISC, NULL, wm_xname, "Good Octets");
}

static void wm_detach(struct wm_softc *sc)
{
	int i;

	for (i = 0; i < WM_NQUEUES; i++) {
		evcnt_detach(&sc->sc_txq[i].txq_ev_packets);
		evcnt_detach(&sc->sc_txq[i].txq_ev_txdw);
		evcnt_detach(&sc->sc_rxq[i].rxq_ev_packets);
		evcnt_detach(&sc->sc_rxq[i].rxq_ev_intr);
	}
	evcnt_detach(&sc->sc_ev_linkintr);
	evcnt_detach(&sc->sc_ev_crcerrs);
	evcnt_detach(&sc->sc_ev_goctets);
}

static void wm_start(struct wm_txqueue *txq, unsigned int count)
{
	while (count--)
		WM_Q_EVCNT_INCR(txq, packets);
	/* One interrupt for all of them. */
	WM_Q_EVCNT_INCR(txq, txdw);
}

static void wm_rxeof(struct wm_softc *sc, struct wm_rxqueue *rxq, unsigned int count)
{
	WM_Q_EVCNT_INCR(rxq, intr);
	while (count--) {
		WM_Q_EVCNT_INCR(rxq, packets);
		WM_EVCNT_ADD(&sc->sc_ev_goctets, 60);
	}
}

static void wm_update_stats(struct wm_softc *sc, u64 crcerrs)
{
	WM_EVCNT_STORE(&sc->sc_ev_crcerrs, crcerrs);
}

static void wm_clear_evcnt(struct wm_softc *sc)
{
	WM_EVCNT_STORE(&sc->sc_ev_crcerrs, 0);
	WM_EVCNT_STORE(&sc->sc_ev_goctets, 0);
}

static int wm_do(const char *val, const struct kernel_param *kp)
{
	unsigned int a = 0, count = 0;
	char what[8];

	if (sscanf(val, "%7s %u %u", what, &a, &count) < 1)
		return -EINVAL;
	if (!strcmp(what, "tx"))
		wm_start(&sc.sc_txq[a % WM_NQUEUES], count);
	else if (!strcmp(what, "rx"))
		wm_rxeof(&sc, &sc.sc_rxq[a % WM_NQUEUES], count);
	else if (!strcmp(what, "link"))
		WM_EVCNT_INCR(&sc.sc_ev_linkintr);
	else if (!strcmp(what, "stats"))
		wm_update_stats(&sc, a);
	else if (!strcmp(what, "clear"))
		wm_clear_evcnt(&sc);
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops wm_do_ops = { .set = wm_do };

module_param_cb(do, &wm_do_ops, NULL, 0200);
MODULE_PARM_DESC(do, "What to do");

static int wm_show_crcerrs(char *buffer, const struct kernel_param *kp)
{
	/* porting: reading ev_count */
	return sysfs_emit(buffer, "%llu\n", evcnt_read(&sc.sc_ev_crcerrs));
}

static const struct kernel_param_ops wm_crcerrs_ops = { .get = wm_show_crcerrs };

module_param_cb(crcerrs, &wm_crcerrs_ops, NULL, 0444);
MODULE_PARM_DESC(crcerrs, "CRC errors");

static int __init wm_init(void)
{
	wm_attach(&sc);
	return 0;
}

static void __exit wm_exit(void)
{
	wm_detach(&sc);
}

module_init(wm_init);
module_exit(wm_exit);

MODULE_DESCRIPTION("Event counters of a NetBSD network driver, ported");
MODULE_LICENSE("GPL");
