// Pickles become trees; nothing in them is run.

#include "ingest/formats/torchscript/pickle_reader.h"

#include <string>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

using namespace std::string_literals;
using PickledKind = PickleValue::Kind;

/// The value, as Python would print it; calls as "call(f, arguments)".
std::string Print(const Pickle& pickle, uint32_t index, int depth = 0) {
  const PickleValue& value = pickle.values[index];
  if (depth > 8) return "...";
  std::string items;
  for (const uint32_t item : value.items) {
    items += (items.empty() ? "" : " ") + Print(pickle, item, depth + 1);
  }
  switch (value.kind) {
    case PickledKind::kNone:
      return "None";
    case PickledKind::kBool:
      return value.integer != 0 ? "True" : "False";
    case PickledKind::kInt:
      return std::to_string(value.integer);
    case PickledKind::kFloat:
      return std::to_string(value.number);
    case PickledKind::kText:
      return "'" + std::string(value.text) + "'";
    case PickledKind::kTuple:
      return "(" + items + ")";
    case PickledKind::kList:
      return "[" + items + "]";
    case PickledKind::kDict:
      return "{: " + items + "}";
    case PickledKind::kGlobal:
      return std::string(value.module) + "." + std::string(value.text);
    case PickledKind::kCall:
      return "call(" + items + ")";
    case PickledKind::kObject:
      return "object(" + items + ")" +
             (value.state == UINT32_MAX ? "" : " with " + Print(pickle, value.state, depth + 1));
    case PickledKind::kPersistentId:
      return "stored(" + items + ")";
  }
  return {};
}

std::string TextOfPickle(std::string_view bytes) {
  Expected<Pickle> pickle = ReadPickle(bytes);
  if (!pickle) return "error: " + llvm::toString(pickle.takeError());
  return Print(*pickle, pickle->root);
}

bool IsRefused(std::string_view bytes) { return TextOfPickle(bytes).starts_with("error: "); }

TEST_CASE("values that LibTorch writes are read", "[pickle]") {
  CHECK(TextOfPickle("\x80\x02K\x05."s) == "5");
  CHECK(TextOfPickle("\x80\x02J\xff\xff\xff\xff."s) == "-1");
  CHECK(TextOfPickle("M\x01\x02."s) == "513");
  CHECK(TextOfPickle("\x8a\x08\x00\xff\xff\xff\xff\xff\xff\xff."s) == "-256");
  CHECK(TextOfPickle("G\x3f\xf8\0\0\0\0\0\0."s) == "1.500000");
  CHECK(TextOfPickle("X\x02\0\0\0hi."s) == "'hi'");
  CHECK(TextOfPickle("(K\x01K\x02t."s) == "(1 2)");
  CHECK(TextOfPickle("(K\x01K\x02l."s) == "[1 2]");
  CHECK(TextOfPickle("N\x88\x89\x87."s) == "(None True False)");
  CHECK(TextOfPickle("](K\x01K\x02"
                     "e."s) == "[1 2]");
  CHECK(TextOfPickle("}X\x01\0\0\0aK\x01s."s) == "{: 'a' 1}");
  CHECK(TextOfPickle("(X\x01\0\0\0aK\x01"
                     "d."s) == "{: 'a' 1}");
  CHECK(TextOfPickle("K\x01q\0h\0\x86."s) == "(1 1)");
}

TEST_CASE("instructions that LibTorch does not read are refused", "[pickle]") {
  // INT, a LONG1 of two bytes, STRING, SHORT_BINUNICODE, EMPTY_SET, INST, DUP, POP, STACK_GLOBAL,
  // EXT1, NEXT_BUFFER
  for (const std::string& pickle : {"I12\n."s, "\x8a\x02\x00\xff."s, "S'hi'\n."s, "\x8c\x02hi."s,
                                    "\x8f."s, "(i__torch__\nNet\n."s, "N2\x86."s, "NN0."s,
                                    "\x8c\x02os\x8c\x06system\x93."s, "\x82\x01."s, "\x97."s}) {
    CHECK(IsRefused(pickle));
  }
}

TEST_CASE("what a pickle wants to call is a record", "[pickle]") {
  const std::string evil =
      "\x80\x02"
      "cos\nsystem\nX\x04\0\0\0true\x85R."s;
  CHECK(TextOfPickle(evil) == "call(os.system ('true'))");
  CHECK(ForeignCall(llvm::cantFail(ReadPickle(evil))) == "os.system");
  // A call of what a call gave.
  CHECK_FALSE(ForeignCall(llvm::cantFail(ReadPickle("ctorch\nf\n)R)R."s))).empty());
  CHECK_FALSE(ForeignCall(llvm::cantFail(ReadPickle("cos\nX\n)\x81."s))).empty());
  const std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\n)Rc__torch__\nNet\n)\x81\x86."s;
  CHECK(ForeignCall(llvm::cantFail(ReadPickle(tensor))).empty());
}

TEST_CASE("an object keeps its state, and may be part of it", "[pickle]") {
  CHECK(TextOfPickle("c__torch__\nNet\n)\x81}X\x01\0\0\0aK\x01sb."s) ==
        "object(__torch__.Net ()) with {: 'a' 1}");
  CHECK(TextOfPickle("]q\0h\0a."s).starts_with("[[[["));
}

TEST_CASE("a pickle that is cut is refused at every byte", "[pickle]") {
  const std::string whole =
      "\x80\x02"
      "c__torch__\nNet\nq\0)\x81}(X\x01\0\0\0aq\x01(X\x07\0\0\0storagectorch\n"
      "FloatStorage\nX\x01\0\0\0"
      "0X\x03\0\0\0cpuK\x06tQub."s;
  REQUIRE_FALSE(IsRefused(whole));
  for (size_t end = 0; end < whole.size(); ++end) {
    CHECK(IsRefused(std::string_view(whole).substr(0, end)));
  }
}

TEST_CASE("hostile pickles are refused in no time", "[pickle]") {
  CHECK(
      IsRefused("X\xff\xff\xff\xff"
                "abc."s));
  CHECK(IsRefused("R."s));
  CHECK(IsRefused("t."s));
  CHECK(IsRefused("(."s));
  CHECK(IsRefused("(K\x01\x86."s));  // a tuple that would take the mark
  CHECK(IsRefused("h\x05."s));
  CHECK(IsRefused("a."s));
  CHECK(IsRefused(std::string(size_t{3} << 20, 'N') + "."));
  // One value, kept and called for as often.
  std::string recalled = "Nq\0"s;
  for (size_t i = 0; i < size_t{3} << 20; ++i) recalled += "h\0"s;
  CHECK(IsRefused(recalled + "."));
  // Keys that would all stand in one place of a table of so many.
  std::string keys = "N";
  const auto keep = [&](uint32_t key) {
    keys += 'r';
    for (int shift = 0; shift < 32; shift += 8) keys += static_cast<char>(key >> shift & 0xff);
  };
  for (uint32_t key = 0; key < 100000; ++key) keep(key);
  for (uint32_t key = 1; key < 24000; ++key) keep(172933 * key);
  CHECK_FALSE(IsRefused(keys + "."));
  // Lists in lists, deeper than any stack: no recursion reads them.
  std::string deep(100000, ']');
  deep += std::string(99999, 'a') + ".";
  CHECK_FALSE(IsRefused(deep));
  // A billion laughs: each list holds the one before ten times, all in few values.
  std::string laughs = "]q\0"s;
  for (int level = 1; level < 200; ++level) {
    laughs += "](";
    for (int i = 0; i < 10; ++i) laughs += "h"s + static_cast<char>(level - 1);
    laughs += "eq"s + static_cast<char>(level);
  }
  Expected<Pickle> read = ReadPickle(laughs + ".");
  REQUIRE(static_cast<bool>(read));
  CHECK(read->values.size() == 200);
}

}  // namespace
}  // namespace shapewise
