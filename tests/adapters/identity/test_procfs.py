"""Files of `/proc`, below one checked handle: what is mounted over them is not read (I3)."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from foureyes.adapters.identity import procfs
from foureyes.adapters.identity.procfs import NotProc, root

OWN = str(os.getpid())


def test_i3_files_and_links_of_a_process_are_read_below_its_own_directory() -> None:
    with root() as proc:
        own = proc.below(OWN)
        assert own is not None
        with own:
            assert own.read("stat").startswith(OWN.encode())
            assert own.link("exe") == os.readlink("/proc/self/exe")
            assert own.link("ns/pid") == os.readlink("/proc/self/ns/pid")
        assert proc.link("self") == OWN
        settings = proc.across("sys")
        assert settings is not None
        with settings:
            assert settings.read("kernel/random/boot_id") == Path("/proc/sys/kernel/random/boot_id").read_bytes()


def test_i3_what_is_not_there_is_empty_and_nothing_stays_open() -> None:
    before = os.listdir("/proc/self/fd")
    with root() as proc:
        assert (proc.read("none"), proc.link("none"), proc.below("none"), proc.across("none")) == (b"", "", None, None)
        assert proc.below("2147483647") is None
        assert proc.read("sys") == b"", "a directory"
        assert proc.link("uptime") == "", "no link"
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("name", ["self/stat", "self/exe", "thread-self/stat", "1/root/etc"])
def test_i3_no_link_is_followed(name: str) -> None:
    with root() as proc, pytest.raises(NotProc, match="mounted over"):
        proc.read(name)


@pytest.mark.parametrize("place", ["/", "/proc/self/task", "/dev/null", "/nowhere"])
def test_i3_what_is_not_the_root_of_procfs_does_not_count(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setattr(procfs, "ROOT", place)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(NotProc):
        root()
    assert os.listdir("/proc/self/fd") == before


def without_openat2(monkeypatch: pytest.MonkeyPatch, release: str, number: int = errno.ENOSYS) -> None:
    """A kernel that does not have the call, or a filter that says so."""

    def missing(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    system = os.uname()
    monkeypatch.setattr(procfs._Kernel, "_openat2", missing)
    monkeypatch.setattr(
        os, "uname", lambda: os.uname_result((system.sysname, system.nodename, release, system.version, "x86_64"))
    )


@pytest.mark.parametrize("release", ["4.4.0", "5.5.19-generic"])
def test_i3_an_older_kernel_compares_device_and_magic_of_each(monkeypatch: pytest.MonkeyPatch, release: str) -> None:
    without_openat2(monkeypatch, release)
    with root() as proc:
        own = proc.below(OWN)
        assert own is not None
        with own:
            assert own.read("stat").startswith(OWN.encode())
            assert own.link("exe") == os.readlink("/proc/self/exe")
            with pytest.raises(NotProc, match="mounted over"):
                own.read("root/etc/passwd")


@pytest.mark.parametrize("release", ["5.6.0", "6.18.44", "2.6.78", "unknown"])
def test_i3_a_kernel_that_has_the_call_and_keeps_it_from_us_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    without_openat2(monkeypatch, release)
    with pytest.raises(NotProc, match="openat2"):
        root()


def test_i3_a_filter_that_forbids_the_call_is_no_older_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    without_openat2(monkeypatch, "4.4.0", errno.EPERM)
    with pytest.raises(NotProc, match="openat2"):
        root()


def test_i3_without_the_means_to_ask_nothing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_ctypes", None)
    with pytest.raises(NotProc, match="/proc cannot be read"):
        root()
