import numpy as np
import pytest
from hotloops import hardround


def test_cases_of_exp():
    calls = []
    cases = hardround.search("exp", 1.0, 1.0 + 2.0**-12, within=2.0**-38, progress=lambda *at: calls.append(at))
    assert len(cases) == 15 and (np.diff(cases["x"]) > 0).all()
    assert calls and calls[-1][0] == calls[-1][1]
    assert (hardround.search("exp", 1.0, 1.0 + 2.0**-12, within=2.0**-38, threads=1) == cases).all()
    assert (np.abs(cases["distance_ulp"]) < 2.0**-38).all() and not cases["exact"].any()
    assert np.allclose(np.exp(cases["x"]), cases["nearest"], rtol=3e-16)


def test_binary32_against_long_doubles():
    cases = hardround.search("exp2", 1.0, 1.0 + 2.0**-8, bits=12, modes="nearest", format="binary32")
    x = (1 + np.arange(2**15, dtype=np.float64) * 2.0**-23).astype(np.longdouble)
    scaled = np.exp2(x) * 2.0**22
    distance = np.abs(scaled - np.floor(scaled) - np.longdouble(0.5))
    assert np.array_equal(cases["x"][~cases["exact"]], x[(distance < 2.0**-13) & (distance > 0)].astype(float))


@pytest.mark.parametrize(
    "message, call",
    [
        ("function: \"tangent\" is none of", lambda: hardround.search("tangent", 1, 2, bits=40)),
        ("bits and within", lambda: hardround.search("exp", 1, 2)),
        ("modes", lambda: hardround.search("exp", 1, 2, bits=40, modes="up")),
        ("format", lambda: hardround.search("exp", 1, 2, bits=40, format="half")),
        ("lo", lambda: hardround.search("exp", 2, 1, bits=40)),
        ("within", lambda: hardround.search("exp", 1, 2, within=0.3)),
    ],
)
def test_errors_name_the_argument(message, call):
    with pytest.raises(ValueError, match=message):
        call()
