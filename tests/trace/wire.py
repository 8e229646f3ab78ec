"""timeline.pftrace as Perfetto's published schema says (protos/perfetto/trace): a reader of the protobuf wire format, with the
fields that Duet writes. What it does not know is an error."""
import struct

VARINT, FIXED64, BYTES = 0, 1, 2
# By message: field number -> (name, wire type, kind). A kind is "number", "text", "double", or a message.
FIELDS = {
    "Trace": {1: ("packet", BYTES, "TracePacket")},
    "TracePacket": {8: ("timestamp", VARINT, "number"), 10: ("trusted_packet_sequence_id", VARINT, "number"),
                    11: ("track_event", BYTES, "TrackEvent"), 12: ("interned_data", BYTES, "InternedData"),
                    13: ("sequence_flags", VARINT, "number"), 60: ("track_descriptor", BYTES, "TrackDescriptor")},
    "InternedData": {2: ("event_names", BYTES, "Name"), 3: ("debug_annotation_names", BYTES, "Name")},
    "Name": {1: ("iid", VARINT, "number"), 2: ("name", BYTES, "text")},
    "TrackDescriptor": {1: ("uuid", VARINT, "number"), 2: ("name", BYTES, "text"), 3: ("process", BYTES, "ProcessDescriptor"),
                        4: ("thread", BYTES, "ThreadDescriptor"), 5: ("parent_uuid", VARINT, "number"),
                        8: ("counter", BYTES, "CounterDescriptor"), 11: ("child_ordering", VARINT, "number"),
                        12: ("sibling_order_rank", VARINT, "number"), 19: ("process_ordering", VARINT, "number"),
                        20: ("thread_ordering", VARINT, "number")},
    "ProcessDescriptor": {1: ("pid", VARINT, "number"), 6: ("process_name", BYTES, "text")},
    "ThreadDescriptor": {1: ("pid", VARINT, "number"), 2: ("tid", VARINT, "number"), 5: ("thread_name", BYTES, "text")},
    "CounterDescriptor": {6: ("unit_name", BYTES, "text")},
    "TrackEvent": {4: ("debug_annotations", BYTES, "DebugAnnotation"), 9: ("type", VARINT, "number"), 10: ("name_iid", VARINT, "number"),
                   11: ("track_uuid", VARINT, "number"), 23: ("name", BYTES, "text"), 44: ("double_counter_value", FIXED64, "double"),
                   47: ("flow_ids", FIXED64, "number")},
    "DebugAnnotation": {1: ("name_iid", VARINT, "number"), 3: ("uint_value", VARINT, "number"), 6: ("string_value", BYTES, "text"),
                        10: ("name", BYTES, "text")},
}
REPEATED = {"event_names", "debug_annotation_names", "debug_annotations", "flow_ids"}
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def message(kind, data):
    result = {}
    for name, value in fields(kind, data):
        if name in REPEATED:
            result.setdefault(name, []).append(value)
        elif name in result:
            raise ValueError(f"{kind}.{name} twice")
        else:
            result[name] = value
    return result


def fields(kind, data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        name, wire, what = FIELDS[kind][key >> 3]
        if wire != key & 7:
            raise ValueError(f"{kind}.{name} has wire type {key & 7}")
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == FIXED64:
            value, = struct.unpack_from("<d" if what == "double" else "<Q", data, at)
            at += 8
        else:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError(f"{kind}.{name} ends too early")
            value = data[at:at + size]
            at += size
            value = value.decode() if what == "text" else message(what, value)
        yield name, value


class Trace:
    """Slices and counters by track, as Perfetto makes them: packets in the order of time, those of one time as they come."""

    def __init__(self, path):
        self.tracks, self.slices, self.instants, self.counters = {}, [], [], {}
        names, annotation_names, events = {}, {}, []
        for number, (_, packet) in enumerate(fields("Trace", path.read_bytes())):
            if packet["trusted_packet_sequence_id"] != 1 or packet["sequence_flags"] != (3 if number == 0 else 2):
                raise ValueError(f"packet {number} is not one of the sequence")
            for known, new in ((names, "event_names"), (annotation_names, "debug_annotation_names")):
                for one in packet.get("interned_data", {}).get(new, []):
                    if one["iid"] in known:
                        raise ValueError(f"the name {one['iid']} comes twice")
                    known[one["iid"]] = one["name"]
            if "track_descriptor" in packet:
                track = packet["track_descriptor"]
                if track["uuid"] in self.tracks:
                    raise ValueError(f"track {track['uuid']} comes twice")
                self.tracks[track["uuid"]] = track
                continue
            event = packet["track_event"]
            event["time"] = packet["timestamp"]
            event["name"] = names[event["name_iid"]] if "name_iid" in event else event.get("name")
            event["args"] = {annotation_names[a["name_iid"]] if "name_iid" in a else a["name"]:
                             a["uint_value"] if "uint_value" in a else a["string_value"] for a in event.get("debug_annotations", [])}
            if event["track_uuid"] not in self.tracks:
                raise ValueError(f"an event comes before its track {event['track_uuid']}")
            events.append(event)
        open_slices = {}
        for event in sorted(events, key=lambda e: e["time"]):  # stable
            of_track = open_slices.setdefault(event["track_uuid"], [])
            if event["type"] == SLICE_BEGIN:
                event["depth"] = len(of_track)
                of_track.append(event)
                self.slices.append(event)
            elif event["type"] == SLICE_END:
                of_track.pop()["end"] = event["time"]
            elif event["type"] == INSTANT:
                self.instants.append(event)
            else:
                self.counters.setdefault(event["track_uuid"], []).append((event["time"], event["double_counter_value"]))
        if any(open_slices.values()):
            raise ValueError("a slice has no end")
        self.flows = {}
        for event in self.slices:
            for flow in event.get("flow_ids", []):
                self.flows.setdefault(flow, []).append(event)

    def group_of(self, uuid):
        """Name of the process of a track."""
        track = self.tracks[uuid]
        if "process" in track:
            return track["process"]["process_name"]
        if "thread" in track:
            return next(t["process"]["process_name"] for t in self.tracks.values()
                        if t.get("process", {}).get("pid") == track["thread"]["pid"])
        return self.group_of(track["parent_uuid"])

    def slices_of(self, group):
        return [s for s in self.slices if self.group_of(s["track_uuid"]) == group]

    def counter(self, name, component=None):
        """The values of the counter track with this name, of a component or of all together."""
        for uuid, track in self.tracks.items():
            parent = self.tracks.get(track.get("parent_uuid"), {})
            if "counter" in track and track["name"] == name and parent.get("name") == component:
                return self.counters.get(uuid, [])
        raise KeyError(name)
