import pytest

from wafer_backend import hardware, profiles
from wafer_backend.profiles import ProfileError

GOOD = '[wafer]\nsram_bytes = { value = 1, basis = "published", source = "a data sheet" }'


@pytest.mark.parametrize("profile", profiles.available())
def test_every_number_of_every_profile_has_a_unit_a_basis_and_a_source(profile: str) -> None:
    sections = profiles.read(profile)  # which refuses anything else
    assert sections
    assert all(figure.source for section in sections.values() for figure in section.figures.values())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (', source = "a data sheet"', "", "needs a value, a basis and a source"),
        ('"a data sheet"', '" "', "a source in words"),
        ('"published"', '"rumour"', "needs a basis"),
        ('{ value = 1, basis = "published", source = "a data sheet" }', "1", "needs a value"),
        ("sram_bytes", "sram", "must end in its unit"),
        ("value = 1", "value = -1", "must be a number"),
        ("value = 1", "value = nan", "must be a number"),
        ("value = 1", "value = true", "must be a number"),
        ("[wafer]", "stray = 1\n[wafer]", "must be a table"),
        ("[wafer]", "[wafer", "here: "),
    ],
)
def test_an_incomplete_entry_is_refused(old: str, new: str, complaint: str) -> None:
    profiles.parse(GOOD, "here")
    with pytest.raises(ProfileError, match=complaint):
        profiles.parse(GOOD.replace(old, new), "here")


def test_a_missing_profile_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ProfileError, match=r"no profile 'wse-9'; there are: .*wse-3"):
        profiles.read("wse-9")


def test_the_announced_ratio_of_wafer_and_gpu_bandwidth_holds() -> None:
    assert hardware.wafer("wse-3").sram_per_s_bytes / hardware.gpu("h100").hbm_per_s_bytes == pytest.approx(6269, abs=1)


def test_later_gpus_hold_and_read_more() -> None:
    h100, h200, b200 = (hardware.gpu(name) for name in ("h100", "h200", "b200"))
    assert h100.usable_bytes < h200.usable_bytes < b200.usable_bytes
    assert h100.hbm_per_s_bytes < h200.hbm_per_s_bytes < b200.hbm_per_s_bytes


def test_a_model_or_a_gpu_is_not_a_wafer() -> None:
    for profile in ("h200", "gpt-5.6-sol"):
        with pytest.raises(ProfileError, match="does not describe a wafer"):
            hardware.wafer(profile)


def test_a_roofline_is_bound_by_the_slower_of_reading_and_multiplying() -> None:
    assert hardware.roofline_s(10, 1, per_s_bytes=5, per_s_flops=1) == 2
    assert hardware.roofline_s(10, 30, per_s_bytes=5, per_s_flops=10) == 3
