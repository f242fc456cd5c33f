"""Records in as few bytes as is simple: zlib with a dictionary of what every record says.

Times of decisions are most of what is measured, and mostly noise: all their low bytes come first,
then all the next, up to the high ones, which are zeros.

The dictionary is part of the format: what is packed names its way by the first byte, so that
another one can follow without touching what is stored.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from niagara_arena.errors import ArenaError

__all__ = ["DamagedRecord", "pack", "pack_measured", "unpack", "unpack_measured"]

_LEVEL = 7
_MEMORY = 7
"""How large zlib's own tables are. Records are short: with larger ones most of the time goes into
clearing them, and nothing comes out smaller."""
_MAX_BYTES = 80 << 20

_ACTS = "".join(
    f'["p",{seat},{{"card":"{card}"}},""],'
    for seat in range(6)
    for card in ("123", "lasso", "7", "6", "5", "4", "3", "2", "1", "cloud")
) + "".join(
    f'["p",{seat},{action},""],'
    for seat in range(4)
    for action in (
        '{"weather":-1}',
        '{"weather":1}',
        '{"arm":"L"}',
        '{"buy":"nothing"}',
        '{"canoe":1,"to":"lost"}',
        '{"canoe":0,"to":"4","load_there":["diamond"]}',
        '{"canoe":1,"to":"5","load":["ruby"]}',
        '{"canoe":0,"to":"2","steal":["sapphire"]}',
        '{"canoe":1,"to":"6L","load_there":["citrine"]}',
        '{"canoe":0,"to":"3","load_there":["amethyst"]}',
        '{"canoe":1,"stay":true}',
        '{"canoe":1,"to":"jetty"}',
        '{"canoe":0,"to":"jetty"}',
    )
)
_DICTIONARY = (
    '{"type":"measured","cpu_us":[0,0,120,130,140,150,160,200],"wall_us":[],"wait_us":[0,0,0,0],'
    '"notes":{},"data":{},"evidence":[],"stderr":[],"streams":["","","",""],'
    '"first_ids":[1,1,1,1,1,1],"startup_ms":[30,30,30,30],"started":"2026-11-18T12:00:00.000+00:00"'
    ',"duration_ms":100,"host":{"cores":"2","system":"Linux 6.1"},"trouble":""}\n'
    '{"type":"game","format":1,"arena":"0.1.0","rules_version":"niagara-rules-1","game":"g-",'
    '"match":"m-","seats":[{"submission":"","name":"","version":"1.0.0","params":{},"seed":},'
    '"settings":{"rules":"base","max_rounds":200,"placings":"progress","profile":"standard",'
    '"clock":{"mode":"cpu","startup_ms":10000,"bank_ms":5000,"increment_ms":20,"wall_ms":5000},'
    '"sanctions":{"illegal":"default","malformed":"default","timeout":"default","crash":"retire",'
    '"memory":"retire","flood":"retire","startup":"retire","build":"retire","faults":3},'
    '"freeze":true,"names":false},"sandbox":"bwrap","opening":"","position":null}\n'
    '{"type":"end","reason":"won","winners":[0],"placings":[1,2,3,4],"rounds":30,"verdicts":['
    '{"standing":"finished","fault":null,"faults":0,"sentence":""},'
    '{"standing":"forfeited","fault":"crash","faults":1,"sentence":""}],"rulings":[],"void":null,'
    '"void_sentence":""}\n'
    f'{_ACTS}]}}\n{{"type":"round","round":1,"acts":['
).encode()
_FIRST = b"\x01"


class DamagedRecord(ArenaError):
    """Say that packed bytes are not what was stored."""


def pack(data: bytes) -> bytes:
    """Return the bytes in less room."""
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, _MEMORY, zdict=_DICTIONARY)
    return _FIRST + squeeze.compress(data) + squeeze.flush()


def unpack(packed: bytes) -> bytes:
    """Return what was packed; raise DamagedRecord for anything that `pack` did not make."""
    if packed[:1] != _FIRST:
        raise DamagedRecord("a record is packed in a way that this arena does not know")
    expand = zlib.decompressobj(-15, zdict=_DICTIONARY)
    try:
        data = expand.decompress(packed[1:], _MAX_BYTES)
    except zlib.error as error:
        raise DamagedRecord(f"a packed record is damaged: {error}") from None
    if not expand.eof or expand.unused_data:
        raise DamagedRecord("a packed record breaks off or goes on too long")
    return data


_SECOND = b"\x02"
_TIMES = ("cpu_us", "wall_us", "wait_us")
_START = b'{"type":"measured"'
_NO_TIMES = _START + b"".join(f',"{name}":[]'.encode() for name in _TIMES)
_HEAD = struct.Struct("<IIII")


def pack_measured(line: bytes, times: Sequence[Sequence[int]]) -> bytes:
    """Pack a `measured` line that was written without times, and the times apart."""
    if not line.startswith(_NO_TIMES) or len(times) != len(_TIMES):
        raise DamagedRecord("a measured line should begin with three empty lists of times")
    text = pack(line)
    planes = b"".join(_planes(numbers) for numbers in times)
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, 15, _MEMORY)
    packed = squeeze.compress(planes) + squeeze.flush()
    return _SECOND + _HEAD.pack(len(text), *map(len, times)) + text + packed


def unpack_measured(packed: bytes) -> bytes:
    """Return a `measured` line with its times."""
    if packed[:1] != _SECOND or len(packed) < 1 + _HEAD.size:
        raise DamagedRecord("the measured part of a record is packed in an unknown way")
    size, *counts = _HEAD.unpack_from(packed, 1)
    begin = 1 + _HEAD.size
    line = unpack(packed[begin : begin + size])
    expand = zlib.decompressobj()
    try:
        planes = expand.decompress(packed[begin + size :], 4 * sum(counts) + 1)
    except zlib.error as error:
        raise DamagedRecord(f"packed times are damaged: {error}") from None
    if len(planes) != 4 * sum(counts) or not expand.eof or not line.startswith(_NO_TIMES):
        raise DamagedRecord("packed times are damaged: they are not as many as there were")
    told = []
    for name, count in zip(_TIMES, counts, strict=True):
        numbers = ",".join(map(str, _numbers(planes[: 4 * count], count)))
        told.append(f',"{name}":[{numbers}]')
        planes = planes[4 * count :]
    return _START + "".join(told).encode() + line[len(_NO_TIMES) :]


def _planes(numbers: Sequence[int]) -> bytes:
    """Return all lowest bytes, then all second ones, and so on."""
    kind = f"<{len(numbers)}I"
    try:
        data = struct.pack(kind, *numbers)
    except struct.error:  # a time too long for four bytes, or before its beginning
        data = struct.pack(kind, *[min(max(number, 0), 0xFFFFFFFF) for number in numbers])
    return b"".join(data[weight::4] for weight in range(4))


def _numbers(planes: bytes, count: int) -> tuple[int, ...]:
    data = bytearray(4 * count)
    for weight in range(4):
        data[weight::4] = planes[weight * count : (weight + 1) * count]
    return struct.unpack(f"<{count}I", data)
