"""hotloops.isa: variants, facts and the choice."""

from itertools import groupby

from hotloops import isa


def test_the_first_usable_variant_that_no_fact_skips_is_chosen():
    facts = isa.facts()
    names = {unless for *_, unless, _ in isa.variants()} - {None}
    assert names <= {"narrow_256", "narrow_512", "gfni"}
    for kernel, rows in groupby(isa.variants(), lambda row: row[0]):
        rows = list(rows)
        eligible = [usable and unless not in facts for _, _, _, usable, unless, _ in rows]
        assert [chosen for *_, chosen in rows].index(True) == eligible.index(True), kernel
        assert sum(chosen for *_, chosen in rows) == 1, kernel
