// Machine files: inheritance, --set, errors that name file and line, and the rule that every number names its
// source.
#include "config/loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "config/derived.h"
#include "config/fields.h"
#include "unit/own_folder.h"

namespace duet::config {
namespace {

const std::string kMachines = DUET_SOURCE_DIRECTORY "/machines";

std::string error_of(const std::string& name, const std::vector<std::string>& sets = {},
                     const std::string& directory = kMachines) {
  try {
    load_machine(name, directory, sets);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class MachineFile : public test::OwnFolder {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
};

TEST(Machines, EveryNumberNamesItsSource) {
  for (const auto& name : list_machines(kMachines))
    for (const auto& value : load_topology(name.name, kMachines).values) {
      if (value.text.starts_with('"')) continue;
      ASSERT_GE(value.source.size(), 4u) << name.name << ": " << value.key << " names no source";
      EXPECT_NE(std::string("DMSIP").find(value.source[0]), std::string::npos)
          << value.key << ": " << value.source;
      EXPECT_EQ(value.source.substr(1, 2), ": ") << value.key << ": " << value.source;
    }
}

TEST(Machines, Gtx580HasThePapersNumbers) {
  const Machine m = load_machine("gtx580", kMachines).machine;
  // Table 1: 512 cores. Each executes at twice the core clock.
  EXPECT_EQ(m.gpu.sm.count * m.gpu.sm.sp_units * m.gpu.sm.warp_width / m.gpu.sm.floating.interval_cycles / 2,
            512u);
  EXPECT_EQ(m.gpu.core_clock_khz, 772000u);          // Table 1
  EXPECT_EQ(m.driver.memcpy_async.call_ns, 1200u);   // Table 2
  EXPECT_EQ(m.driver.launch.driver_ns, 2210u);       // Table 2, less hardware
  EXPECT_EQ(m.link.payload_mb_per_s_to_gpu, 6800u);  // Table 2
}

TEST_F(MachineFile, BaseIsInheritedAndOverridden) {
  const auto path =
      write("small.toml",
            "base = \"" + kMachines + "/gtx580.toml\"\nname = \"small\"\n[gpu.sm]\ncount = 2 # I: test\n");
  const auto resolved = load_machine(path, kMachines);
  EXPECT_EQ(resolved.machine.name, "small");
  EXPECT_EQ(resolved.machine.gpu.sm.count, 2u);
  EXPECT_EQ(resolved.machine.gpu.sm.max_warps, 48u);
}

TEST_F(MachineFile, ResolvedFileGivesTheSameMachine) {
  const auto first =
      load_machine("gtx580", kMachines, {"gpu.sm.count=3", "driver.read_ahead=true", "name=mine"});
  const auto second = load_machine(write("again.toml", to_toml(first.values)), kMachines);
  ASSERT_EQ(first.values.size(), second.values.size());
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    EXPECT_EQ(first.values[i].key, second.values[i].key);
    EXPECT_EQ(first.values[i].text, second.values[i].text);
  }
  EXPECT_EQ(second.machine.gpu.sm.count, 3u);
  EXPECT_TRUE(second.machine.driver.read_ahead);
  EXPECT_EQ(second.machine.name, "mine");
}

TEST_F(MachineFile, RemarksAreUnitDescriptionAndSource) {
  const auto resolved = load_machine("gtx580", kMachines, {"gpu.sm.count=3"});
  const std::string shown = to_toml(resolved.values, Remarks::All);
  EXPECT_NE(shown.find("\nlatency_ns = 120                             # ns | one-way latency | I: about a"),
            std::string::npos);
  EXPECT_NE(shown.find(
                "\ncount = 3                                    # SMs | streaming multiprocessors | --set\n"),
            std::string::npos);
  const auto again = load_machine(write("shown.toml", shown), kMachines);
  for (std::size_t i = 0; i < resolved.values.size(); ++i)
    EXPECT_EQ(resolved.values[i].text, again.values[i].text) << resolved.values[i].key;
}

TEST_F(MachineFile, ErrorsNameFileAndLine) {
  const std::string base = "base = \"" + kMachines + "/gtx580.toml\"\n";
  EXPECT_NE(error_of(write("a.toml", base + "[gpu.sm]\ncuont = 2\n"))
                .find("a.toml:3: unknown key 'gpu.sm.cuont' (nearest: gpu.sm.count)"),
            std::string::npos);
  EXPECT_NE(error_of(write("b.toml", base + "[gpu.sm]\ncount = \"x\"\n"))
                .find("b.toml:3: gpu.sm.count must be a whole number"),
            std::string::npos);
  EXPECT_NE(error_of(write("c.toml", base + "[gpu.sm]\ncount = 1025\n")).find("outside 1 to 1024"),
            std::string::npos);
  EXPECT_EQ(error_of(write("c2.toml", base + "[gpu.sm]\ncount = 1024\n")), "no error");
  EXPECT_NE(error_of(write("d.toml", "name = \"d\"\n")).find("is missing"), std::string::npos);
  EXPECT_NE(error_of(write("e.toml", "base = \"e\"\n")).find("leads back"), std::string::npos);
  EXPECT_NE(error_of(write("f.toml", "name = \n")).find("f.toml:1"), std::string::npos);
  for (const char* line : {"[",
                           "[gpu.sm",
                           "[gpu sm]",
                           "[gpu..sm]",
                           "[.gpu]",
                           "gpu. = 1",
                           "[\n]",
                           "count",
                           "= 1",
                           "a b = 1",
                           "count = [1]",
                           "count = {a = 1}",
                           "name = \"\"\"a",
                           "name = '''a",
                           "[gp\xd2\x8f]",
                           "[[gpu]",
                           "[[gpu ]]",
                           "[[]]",
                           "name =",
                           "name = \"a",
                           "name = 'a' b",
                           "name = \"a\\\"",
                           "name = 'a\x01'",
                           "count = 58)",
                           "count = 5\xc5\xbd",
                           "count = 5 8"})
    EXPECT_NE(error_of(write("g.toml", base + line + "\n"))
                  .find("g.toml:2: neither [table], [[table]] nor key = value"),
              std::string::npos)
        << line;
  EXPECT_EQ(error_of(write("h.toml", base + "  name = 'a # [b] {' \t# \xc3\xa4 [\r\n\r\n [gpu.sm] # x\n")),
            "no error");
}

TEST_F(MachineFile, KeysThatWereDroppedNameThoseToUse) {
  const std::string path =
      write("old.toml", "base = \"" + kMachines + "/gtx580.toml\"\n[gpu.dram]\nbandwidth_mb_per_s = 1000\n");
  EXPECT_EQ(error_of(path), path +
                                ":3: gpu.dram.bandwidth_mb_per_s is no longer a key: set gpu.dram.channels, "
                                "gpu.dram.command_clock_khz, gpu.dram.burst_bytes and gpu.dram.burst_cycles");
  EXPECT_EQ(error_of("gtx580", {"gpu.shader_clock_khz=1544000"}),
            "--set: gpu.shader_clock_khz is no longer a key: set gpu.core_clock_khz");
  EXPECT_EQ(error_of("gtx580", {"gpu.constant_cache.write_back=true"}),
            "--set: gpu.constant_cache.write_back is no longer a key: nobody writes to this cache");
  EXPECT_NE(error_of("gtx580", {"gpu.instruction_cache.sector_bytes=32"}).find("no longer a key"),
            std::string::npos);
  EXPECT_NE(error_of("gtx580", {"gpu.l2.sector=32"}).find("unknown key"), std::string::npos);
  const ResolvedTopology known = load_topology("gtx580", kMachines);
  for (const char* dropped : {"gpu.l2_bytes", "gpu.shader_clock_khz", "gpu.sm.cores", "gpu.dram.bus_bits",
                              "gpu.dram.clock_khz", "gpu.dram.latency_ps"}) {
    EXPECT_NE(error_of("gtx580", {std::string(dropped) + "=1"}).find(" is no longer a key: set gpu."),
              std::string::npos)
        << dropped;
    // The keys that it names are keys; "x.*" are all that begin so.
    std::string words = why_dropped(dropped);
    std::replace(words.begin(), words.end(), ',', ' ');
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
      if (!word.starts_with("gpu.")) continue;
      const bool all = word.ends_with('*');
      if (all) word.pop_back();
      EXPECT_TRUE(std::any_of(known.values.begin(), known.values.end(), [&](const ResolvedValue& value) {
        return all ? value.key.starts_with(word) : value.key == word;
      })) << word;
    }
  }
}

// What a machine with a GPU and cores says besides.
constexpr const char* kDriver = "[driver]\nadded_to_instructions = false  # I: whole calls\n";
constexpr const char* kHost =
    "[host]\nname = \"h\"\ndram_bytes = 1048576\ndram_latency_ns = 1\n"
    "dram_bandwidth_mb_per_s = 0\n";
// The [cpu] of a machine that has one.
std::string cpu() {
  std::ifstream file(kMachines + "/xeon-e3-1245.toml");
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto first = text.find("[cpu]");
  return text.substr(first, text.find("[host]") - first);
}
std::string link(const std::string& name, int latency_ns) {
  return "[[link]]\nname = \"" + name + "\"\nlatency_ns = " + std::to_string(latency_ns) +
         "\npayload_mb_per_s_to_gpu = 1\npayload_mb_per_s_to_host = 1\npacket_payload_bytes = 128\n"
         "queue_packets = 1\nfull_duplex = true\nheader_bytes = 0\nflit_bytes = 1\nbyte_masks = true\n";
}

TEST_F(MachineFile, NodesThatAreNotThereWantNoKeys) {
  const std::string head = "name = \"m\"\ndescription = \"d\"\n";
  const auto path = write("cpu.toml", head + cpu() + kHost);
  const Topology topology = load_topology(path, kMachines).topology;
  EXPECT_FALSE(topology.gpu);
  EXPECT_TRUE(topology.links.empty());
  ASSERT_TRUE(topology.cpu);
  EXPECT_EQ(topology.cpu->cores, 4u);
  EXPECT_FALSE(load_topology("gtx580", kMachines).topology.cpu);
  EXPECT_EQ(error_of(path), "machine m cannot be built: it has no [gpu]");
  EXPECT_NE(
      error_of(write("part.toml", head + "[cpu]\nname = \"c\"\n" + kHost)).find("key cpu.cores is missing"),
      std::string::npos);
  EXPECT_NE(error_of(path, {"gpu.sm.count=1"}).find("key gpu.name is missing"), std::string::npos);
  EXPECT_NE(error_of(path, {"driver.read_ahead=true"}).find("driver.read_ahead belongs to a GPU"),
            std::string::npos);
  EXPECT_NE(error_of(path, {"gpo.sm.count=1"}).find("(nearest: gpu.sm.count)"), std::string::npos);
  const std::string base = "base = \"" + kMachines + "/gtx580.toml\"\n";
  const auto both = load_machine(write("both.toml", base + "name = \"both\"\n" + cpu() + kDriver), kMachines);
  ASSERT_TRUE(both.machine.cpu);
  EXPECT_EQ(both.machine.cpu->cores, 4u);
  EXPECT_EQ(both.machine.gpu.name, load_machine("gtx580", kMachines).machine.gpu.name);
}

TEST_F(MachineFile, AFileMayTakeTheProcessorOfAnotherMachine) {
  const std::string head = "name = \"both\"\nbase = \"" + kMachines + "/gtx580.toml\"\n";
  const auto path =
      write("with.toml", head + "cpu_of = \"xeon-e3-1245\"\n[cpu]\ncores = 2  # I: fewer\n" + kDriver);
  const auto both = load_topology(path, kMachines);
  const auto xeon = load_topology("xeon-e3-1245", kMachines), gpu = load_topology("gtx580", kMachines);
  EXPECT_EQ(both.topology.cpu->cores, 2u);
  EXPECT_EQ(both.topology.cpu->rob_entries, xeon.topology.cpu->rob_entries);
  EXPECT_EQ(both.topology.gpu->sm.count, gpu.topology.gpu->sm.count);
  EXPECT_EQ(both.topology.host.dram_latency_ns, gpu.topology.host.dram_latency_ns);
  EXPECT_NE(error_of(write("none.toml", head + "cpu_of = \"gtx580\"\n"))
                .find("cpu_of = \"gtx580\": that machine has no [cpu]"),
            std::string::npos);
  EXPECT_NE(
      error_of(write("number.toml", head + "cpu_of = 3\n")).find("cpu_of must be a machine's name in quotes"),
      std::string::npos);
}

TEST_F(MachineFile, SeveralLinksAreTables) {
  const std::string base = "base = \"" + kMachines + "/gtx580.toml\"\n";
  const auto path = write("two.toml", base + "name = \"two\"\n" + link("a", 7) + link("b", 9));
  const auto two = load_topology(path, kMachines, {"link[1].latency_ns=11"});
  ASSERT_EQ(two.topology.links.size(), 2u);
  EXPECT_EQ(two.topology.links[0].name, "a");
  EXPECT_EQ(two.topology.links[0].latency_ns, 7u);
  EXPECT_EQ(two.topology.links[1].name, "b");
  EXPECT_EQ(two.topology.links[1].latency_ns, 11u);
  EXPECT_EQ(error_of(path), "machine two cannot be built: link[1] \"b\": there can be one link");

  const auto again = load_topology(write("again.toml", to_toml(two.values)), kMachines);
  EXPECT_EQ(to_toml(again.values), to_toml(two.values));
  EXPECT_EQ(again.topology.links[1].latency_ns, 11u);

  // One table of the list is a link as [link] is; a file's list takes the place of its base's.
  const auto one = write("one.toml", "base = \"" + path + "\"\n" + link("c", 5));
  EXPECT_EQ(load_machine(one, kMachines, {"link.queue_packets=3"}).machine.link.queue_packets, 3u);
  EXPECT_EQ(load_machine(one, kMachines).machine.link.name, "c");
  EXPECT_NE(error_of(write("part.toml", "base = \"" + path + "\"\n[link]\nlatency_ns = 1\n"))
                .find("part.toml:2: the base has several links: give all of them as [[link]]"),
            std::string::npos);
  EXPECT_NE(error_of(path, {"link.latency_ns=1"}).find("(nearest: link[0].latency_ns)"), std::string::npos);
  EXPECT_NE(error_of(path, {"link[2].latency_ns=1"}).find("key link[2].name is missing"), std::string::npos);
  EXPECT_NE(
      error_of(write("two_gpus.toml", base + "[[gpu]]\nname = \"x\"\n")).find("unknown key 'gpu[0].name'"),
      std::string::npos);
}

TEST_F(MachineFile, LevelsAreTablesWithTables) {
  const auto level = [](const std::string& name, int sets) {
    return "[[level]]\nname = \"" + name + "\"\nslices = 6\nsets = " + std::to_string(sets) +
           "\nways = 8\nline_bytes = 128\nsector_bytes = 128\nlatency_cycles = 9\nmshrs = 4\n"
           "mshr_targets = 8\nqueue_entries = 32\nwrite_back = true\nwrite_allocate = true\n"
           "fetch_on_write = false\nwrite_evict = false\nhash_sets = true\nreplacement = "
           "\"lru\"\natomic_words_per_cycle = 16\n"
           "atomic_conflict_cycles = 2\nwire_cycles = 0\nshared_with_processor = "
           "false\nperfect = false\npending_requests = 0\n[level.interconnect]\nclock_khz = "
           "900000\nflit_bytes = 32\n"
           "header_bytes = 8\nlatency_cycles = 6\nqueue_packets = 16 # I: a reason\n";
  };
  const std::string base = "base = \"" + kMachines + "/gtx580.toml\"\n";
  const auto path = write("two.toml", base + "name = \"two\"\n" + level("L3", 16) + level("L4", 32));
  const ResolvedMachine two = load_machine(path, kMachines, {"level[1].interconnect.clock_khz=5"});
  ASSERT_EQ(two.machine.levels.size(), 2u);
  EXPECT_EQ(two.machine.levels[0].cache.sets, 16u);
  EXPECT_EQ(two.machine.levels[1].cache.sets, 32u);
  EXPECT_EQ(two.machine.levels[0].interconnect.clock_khz, 900000u);
  EXPECT_EQ(two.machine.levels[1].interconnect.clock_khz, 5u);
  const ResolvedMachine again = load_machine(write("again.toml", to_toml(two.values)), kMachines);
  EXPECT_EQ(to_toml(again.values), to_toml(two.values));
  EXPECT_EQ(again.machine.levels[1].interconnect.clock_khz, 5u);
  // A file's list takes the place of its base's.
  const auto one = write("one.toml", "base = \"" + path + "\"\n" + level("LLC", 64));
  ASSERT_EQ(load_machine(one, kMachines).machine.levels.size(), 1u);
  EXPECT_EQ(load_machine(one, kMachines).machine.levels[0].name, "LLC");
  EXPECT_NE(error_of(path, {"level[0].set=1"}).find("(nearest: level[0].sets)"), std::string::npos);
  EXPECT_NE(error_of("gtx580", {"level[0].sets=1"}).find("key level[0].name is missing"), std::string::npos);
  const auto refusal = [](const std::string& where, int level, const std::string& name) {
    return where + ": level[" + std::to_string(level) + "].name = \"" + name +
           "\" cannot be: a level's name is its own, of letters and digits, as L3";
  };
  for (const char* name : {"L1", "l 3", ""}) {
    const std::string file = write("name.toml", base + level(name, 1));
    EXPECT_EQ(error_of(file), refusal(file + ":3", 0, name));
  }
  const std::string twice = write("twice.toml", base + level("L3", 1) + level("l3", 1));
  EXPECT_EQ(error_of(twice), refusal(twice + ":32", 1, "l3"));
  EXPECT_EQ(error_of(path, {"level[1].name=L2"}), refusal("--set", 1, "L2"));
}

TEST(Set, IsChecked) {
  EXPECT_NE(error_of("gtx580", {"gpu.sm.count"}).find("key=value"), std::string::npos);
  EXPECT_NE(error_of("gtx580", {"gpu.sm.count=-1"}).find("outside"), std::string::npos);
  EXPECT_NE(error_of("gtx580", {"gpu.sm.count=[1]"}).find("must be a whole number"), std::string::npos);
  EXPECT_NE(error_of("gtx580", {"name='''a"}).find("cannot read the value"), std::string::npos);
  EXPECT_EQ(load_machine("gtx580", kMachines, {"name=a [b] = \xc3\xa4"}).machine.name, "a [b] = \xc3\xa4");
  EXPECT_EQ(error_of("gtx580", {"gpu.dram.page_bytes=5000"}),
            "--set: gpu.dram.page_bytes = 5000 is not a power of two");
  EXPECT_EQ(error_of("gtx580", {"gpu.sm.max_shared_bytes_per_block=65536"}),
            "--set: gpu.sm.max_shared_bytes_per_block = 65536 is larger than gpu.sm.shared_bytes = 49152");
  EXPECT_NE(error_of("nothing").find("known are a10-7850k, cortex-a15, fused, fused-2012, gh200-shared"),
            std::string::npos);
}

TEST(Names, EveryKeyWithNamesTakesThoseAndNoOther) {
  Machine machine;
  std::vector<std::string> free_text;
  for (const Field& field : fields_of(machine)) {
    if (!std::holds_alternative<std::string*>(field.value)) continue;
    if (field.names.empty()) {
      free_text.push_back(field.key);
      continue;
    }
    std::string known;
    for (const std::string_view name : field.names) {
      EXPECT_EQ(error_of("gtx580", {field.key + "=" + std::string(name)}), "no error");
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    EXPECT_EQ(error_of("gtx580", {field.key + "=nonsense"}),
              "--set: " + field.key + " = \"nonsense\" is not known: known are " + known);
    EXPECT_NE(error_of("gtx580", {field.key + "=\"\""}), "no error") << field.key;
  }
  // The names of warp schedulers are the GPU's to know (machine/rules/policies.h).
  EXPECT_EQ(free_text, (std::vector<std::string>{"name", "description", "gpu.name", "gpu.sm.scheduler",
                                                 "gpu.dram.address_fields", "link.name", "host.name"}));
}

TEST(Names, AComponentFindsThePlaceOfANameOrRefusesIt) {
  EXPECT_EQ(place_of("gpu.dram.scheduler", "fcfs", kDramSchedulers), 1u);
  EXPECT_EQ(place_of("gpu.dram.scheduler", "fifo", kDramSchedulers), 2u);
  EXPECT_THROW(place_of("gpu.dram.scheduler", "fcf", kDramSchedulers), Error);
}

}  // namespace
}  // namespace duet::config
