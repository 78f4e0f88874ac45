"""The spend ledger of a release, in ``runs/_budget/<release>/``, shared by all runs that work for it.

    writers.jsonl                    who writes or wrote here: read first, appended under the lock
    <host>.<pid>.<random>.jsonl      the rows of one process; nobody else ever writes there
    <host>.<pid>.<random>.alive      held by that process while it lives, gone or free afterwards
    lock                             held while a reservation is decided and written

What the file system must grant where several hosts share it: exclusive create (O_EXCL), appends that a later open on
another host sees once they are fsynced (close-to-open), and advisory locks (flock) that hold between hosts and end with
their process. Local disks, NFS 4 and NFS 3 with lockd, Lustre with ``-o flock`` and GPFS do; NFS with ``nolock`` or
``local_lock=flock`` does not, and then the cap holds per host only. Directory listings may lag: ``writers.jsonl`` is
there so that none is relied on.
"""
