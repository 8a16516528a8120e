"""The processors that ``-mcpu=`` of a target may name: what LLVM calls them, family by family.

TVM takes any text, and leaves it to LLVM's code generator to warn of one that it ignores; rules that ask for a
processor by its name would then say nothing. So a name that is none is refused. Names that follow a scheme are known by
that, so that the next of a family is known as well.

Source of the names: the processor definitions of LLVM's targets (``llc -march=… -mcpu=help``).
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_processor", "known_processors", "register_processor"]

_X86: Final = """
    alderlake amdfam10 arrowlake arrowlake-s athlon athlon-4 athlon-fx athlon-mp athlon-tbird athlon-xp athlon64
    athlon64-sse3 atom atom_sse4_2 atom_sse4_2_movbe barcelona bdver1 bdver2 bdver3 bdver4 bonnell broadwell btver1
    btver2 c3 c3-2 cannonlake cascadelake clearwaterforest cooperlake core-avx-i core-avx2 core2 corei7 corei7-avx
    diamondrapids emeraldrapids geode goldmont goldmont-plus gracemont grandridge graniterapids graniterapids-d haswell
    i386 i486 i586 i686 icelake-client icelake-server ivybridge k6 k6-2 k6-3 k8 k8-sse3 knl knm lakemont lunarlake
    meteorlake nehalem nocona opteron opteron-sse3 pantherlake penryn pentium pentium-m pentium-mmx pentium2 pentium3
    pentium3m pentium4 pentium4m pentium_ii pentium_iii pentium_iii_no_xmm_regs pentium_m pentium_mmx pentium_pro
    pentiumpro prescott raptorlake rocketlake sandybridge sapphirerapids sierraforest silvermont skx skylake
    skylake-avx512 slm tigerlake tremont westmere wildcatlake winchip-c6 winchip2 x86-64 x86-64-v2 x86-64-v3 x86-64-v4
    yonah
"""
_ARM: Final = """
    a64fx arm8 arm810 arm10e arm10tdmi carmel cyclone ep9312 falcor falkor fujitsu-monaka gb10 grace iwmmxt krait kryo
    mpcore mpcorenovfp saphira sc000 sc300 star-mc1 star-mc3 strongarm strongarm110 strongarm1100 strongarm1110 swift
    tsv110 xscale
"""
_POWER: Final = """
    440 450 601 602 603 603e 603ev 604 604e 620 750 7400 7450 970 a2 e500 e500mc e5500 future g3 g4 g4+ g5 ppc ppc32
    ppc64 ppc64le
"""
_RISC_V: Final = """
    andes-a25 andes-a45 andes-ax25 andes-ax45 andes-n45 andes-nx45 generic-ooo generic-rv32 generic-rv64 mips-p8700
    rocket rocket-rv32 rocket-rv64 rp2350-hazard3 spacemit-x60 spacemit-x100 tt-ascalon-d8 tt-ascalon-x veyron-v1
    xiangshan-kunminghu xiangshan-nanhu
"""
_OTHERS: Final = """
    arch8 arch9 arch10 arch11 arch12 arch13 arch14 arch15 bleeding-edge fiji generic gfx9-generic hawaii i6400 i6500
    kaveri lime1 loongarch32 loongarch64 mvp native octeon octeon+ p5600 polaris10 polaris11 probe tahiti tonga v7 v8 v9
"""
_SCHEMES: Final = re.compile(
    r"""
      znver[1-9] | x86-64-v[1-4]
    | cortex-[amrx][0-9]{1,3}[a-z]{0,4}(\+?nodsp)? | neoverse-[env][0-9a-z]{1,3} | neoverse-512tvb
    | apple-([amst][0-9]{1,2}|latest) | ampere1[a-z]? | exynos-m[0-9] | oryon-[0-9] | thunderx([23]?t[0-9]{2,3}(p1)?)?
    | olympus | c1-(nano|premium|pro|ultra)
    | arm(7|9|10|11)[0-9a-z]*(-s|jf-s|j-s|t2-s|t2f-s|jzf-s|ej-s|e-s)?
    | (pwr|power)([3-9]|5x|6x|1[0-9]) | z(1[0-9]|196|ec12)
    | sifive-[a-z][0-9]{1,3}[a-z]? | (syntacore-)?scr[1-9][-a-z0-9]* | qingke-[-a-z0-9]+
    | mips(1|2|3|4|5|32|64)?(r[2356])? | la[0-9]{3} | v[1-4] | hexagonv[0-9]{1,2}t?
    | sm_[0-9]{2,3}[af]? | gfx[0-9a-f]{3,4} | esp(32|8266)[-a-z0-9]*
    | at(mega|tiny|xmega)[0-9a-z]+ | avr([0-9]{1,3}|xmega[0-9]) | M68[0-9]{3}
    """,
    re.VERBOSE,
)

_known: Final = set[str](" ".join((_X86, _ARM, _POWER, _RISC_V, _OTHERS)).split())
_TYPICAL: Final = "znver3 znver4 cortex-a53 cortex-a72 cortex-a76 cortex-m4 cortex-m7 neoverse-n1 apple-m1 power9 sm_80"


def known_processors() -> list[str]:
    """Names of processors, to say which one is near to another; of those that follow a scheme, some."""
    return sorted({*_known, *_TYPICAL.split()})


def is_processor(name: str) -> bool:
    """Whether a processor has this name."""
    return name in _known or _SCHEMES.fullmatch(name) is not None


def register_processor(name: str) -> None:
    """Make the name of a processor known: one that is newer than this list, or of the caller's own."""
    _known.add(name)
