# SPDX-License-Identifier: GPL-2.0
"""The recount of raw block events that the module is held against."""
