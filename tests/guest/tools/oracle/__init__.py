# SPDX-License-Identifier: GPL-2.0
"""The recount of raw block events, with which the module's statistics are compared."""
