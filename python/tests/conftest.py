"""Shared by all tests."""

import signal

# A shell that runs the tests in the background ignores SIGINT, and Python then leaves it ignored.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
