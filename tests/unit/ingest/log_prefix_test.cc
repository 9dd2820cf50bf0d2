#include "ingest/formats/torch_log/log_prefix.h"

#include "support/catch.h"

namespace shapewise {
namespace {

LogPrefix PrefixOf(std::string_view line) {
  LogPrefix prefix;
  INFO(line);
  REQUIRE(FindLogPrefix(line, ParseForeignPrefix(line).length, prefix));
  return prefix;
}

std::string_view TextOf(std::string_view line) { return line.substr(PrefixOf(line).text_begin); }

bool HasPrefix(std::string_view line) {
  LogPrefix prefix;
  return FindLogPrefix(line, ParseForeignPrefix(line).length, prefix);
}

TEST_CASE("the prefix of 2.3 and later is read in all its parts", "[ingest]") {
  const std::string_view line =
      "[rank3]:V0106 23:01:14.131000 29551 torch/_dynamo/guards.py:2813] [6/8_1] [__recompiles] hi";
  const LogPrefix prefix = PrefixOf(line);
  CHECK(prefix.style == PrefixStyle::kGlog);
  CHECK(ParseForeignPrefix(line).rank == 3);
  CHECK(prefix.time.month == 1);
  CHECK(prefix.time.day == 6);
  CHECK(prefix.time.micros == ((23 * 60LL + 1) * 60 + 14) * 1000000 + 131000);
  CHECK(prefix.process == 29551);
  CHECK(prefix.emitter == "torch/_dynamo/guards.py:2813");
  CHECK(prefix.compile_id == "6/8_1");
  CHECK(prefix.artifact == "recompiles");
  CHECK(prefix.names_torch);
  CHECK(line.substr(prefix.text_begin) == "hi");
}

TEST_CASE("the prefix of 2.1 and 2.2 is read in all its parts", "[ingest]") {
  const std::string_view line =
      "[2023-11-06 14:54:45,922] [0/1] torch._dynamo.guards.__recompiles: [DEBUG] hi";
  const LogPrefix prefix = PrefixOf(line);
  CHECK(prefix.style == PrefixStyle::kLogger);
  CHECK(prefix.time.year == 2023);
  CHECK(prefix.compile_id == "0/1");
  CHECK(prefix.artifact == "recompiles");
  CHECK(prefix.emitter == "torch._dynamo.guards.__recompiles");
  CHECK(line.substr(prefix.text_begin) == "hi");
}

TEST_CASE("indentation behind the prefix stays in the text", "[ingest]") {
  CHECK(TextOf("V0106 23:01:14.131000 7 torch/_dynamo/guards.py:1] [6/8]     - 0/0: x") ==
        "    - 0/0: x");
  CHECK(TextOf("[2023-11-06 14:54:45,922] torch._dynamo.x: [WARNING]    function: 'f'") ==
        "   function: 'f'");
}

TEST_CASE("what people leave of a prefix is still one", "[ingest]") {
  CHECK(PrefixOf("W convert_frame.py:1676] [0/8] x").compile_id == "0/8");
  CHECK(PrefixOf("torch/_dynamo/guards.py:2813] [1/4] [__recompiles] x").artifact == "recompiles");
  CHECK(PrefixOf("[0/1] [__recompiles] x").compile_id == "0/1");
  CHECK(PrefixOf("W [0/8] x").compile_id == "0/8");
  CHECK(PrefixOf("    [0/8] x").compile_id == "0/8");
  CHECK(PrefixOf("[__perf_hints] x").artifact == "perf_hints");
  CHECK(PrefixOf("W0818 21:05:28 torch/_dynamo/exc.py:518 [4/0] x").compile_id == "4/0");
  CHECK(PrefixOf("W1109 00:08:59.079000 torch/_dynamo/a.py:1] [3/4] x").compile_id == "3/4");
  CHECK(TextOf("[0/1] [__recompiles] Recompiling") == "Recompiling");
}

TEST_CASE("a prefix is found behind a progress bar", "[ingest]") {
  const std::string_view line =
      "  0%|   | 1/2000 [00:17<9:36:45, 17.31s/it][rank1]:V0106 23:01:14.131000 7 "
      "torch/_dynamo/x.py:1] [0/0] hi";
  const LogPrefix prefix = PrefixOf(line);
  CHECK(prefix.rank == 1);
  CHECK(line.substr(prefix.text_begin) == "hi");
}

TEST_CASE("records flattened onto one line are split at their prefixes", "[ingest]") {
  const std::string_view line =
      "W0106 23:01:14.131000 7 torch/_dynamo/c.py:1] [1/8] one W0106 23:01:14.131000 7 "
      "torch/_dynamo/c.py:1] [1/8] two";
  const LogPrefix first = PrefixOf(line);
  LogPrefix second;
  REQUIRE(FindNextLogPrefix(line, first, second));
  CHECK(line.substr(first.text_begin, second.begin - first.text_begin) == "one ");
  CHECK(line.substr(second.text_begin) == "two");
  LogPrefix third;
  CHECK_FALSE(FindNextLogPrefix(line, second, third));
}

TEST_CASE("prefixes of launchers are taken off and name the process", "[ingest]") {
  const auto foreign = [](std::string_view line) { return ParseForeignPrefix(line); };
  CHECK(foreign("[default0]:text").length == 11);
  CHECK(foreign("[rank12]:text").rank == 12);
  CHECK(foreign("(VllmWorker rank=3 pid=296) text").rank == 3);
  CHECK(foreign("(pid=123) text").length == 10);
  CHECK(foreign("[1,5]<stderr>:text").rank == 5);
  CHECK(foreign("# text").length == 2);
  CHECK(foreign("step 10 loss 2.1").length == 0);
  CHECK(foreign("(not a worker) text").length == 0);
  CHECK(foreign("[rank0]:a").key != foreign("[rank1]:a").key);
}

TEST_CASE("lines of other programs have no prefix of torch's", "[ingest]") {
  CHECK_FALSE(HasPrefix("[chat_utils.py:346] Detected the chat template"));
  CHECK_FALSE(HasPrefix("I have 12 cats and main.py:12 is a file"));
  CHECK_FALSE(HasPrefix("[2025-02-04 16:40:10][E][train:313] Error"));
  CHECK_FALSE(HasPrefix("step=10 loss=264.4143 lr=1.00e-06"));
}

TEST_CASE("a prefix has no time where the clock shows none", "[ingest]") {
  const auto time = [](std::string_view clock) {
    const std::string line = "V0909 " + std::string(clock) + " 551 torch/_dynamo/guards.py:28] a";
    return PrefixOf(line).time;
  };
  CHECK(time("23:59:60.265000").micros == 86400 * 1000000LL + 265000);  // a leap second
  CHECK(time("24:03:05.265000") == LogTime{});
  CHECK(time("03:60:05.265000") == LogTime{});
  CHECK(time("03:03:61.265000") == LogTime{});
}

TEST_CASE("compile ids are read in all their forms", "[ingest]") {
  for (const std::string_view id : {"0/1", "12/0_3", "!0", "!0/3/0"}) {
    const std::string bracketed = "[" + std::string(id) + "] rest";
    std::string_view text = bracketed;
    CHECK(ConsumeCompileId(text) == id);
    CHECK(text == " rest");
  }
  for (const std::string_view no_id :
       {"[12] x", "[a/b] x", "[1/] x", "[/1] x", "[1/2/3] x", "[]"}) {
    std::string_view text = no_id;
    CHECK(ConsumeCompileId(text).empty());
    CHECK(text == no_id);
  }
}

}  // namespace
}  // namespace shapewise
