#include "model/guard.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

// The table next to this file: "guards", bare ones, and "reasons" with what PyTorch prints around
// them, by the statement that they are samples of; "types", what a guard shows of the Python type
// of `v`, as torch 2.13 prints it, with enums as 2.0 to 2.12 did.
const nlohmann::json& Table() {
  static const nlohmann::json table =
      nlohmann::json::parse(std::ifstream(SourceDir() + "/tests/unit/model/guard_reasons.json"));
  return table;
}

void CheckSample(const nlohmann::json& sample) {
  const std::string reason = sample.at("reason");
  INFO("reason: " << reason);
  const GuardFailure got = ParseGuardFailure(reason);
  const auto wanted = [&](const char* key) { return sample.value(key, std::string()); };
  CHECK(got.entry == wanted("entry"));
  CHECK(got.guard == sample.value("guard", reason));
  CHECK(GuardClassName(got.guard_class) == sample.value("class", "other"));
  CHECK(got.source == wanted("source"));
  CHECK(got.dim == sample.value("dim", -1));
  CHECK(got.expected == wanted("expected"));
  CHECK(got.actual == wanted("actual"));
  CHECK(got.user_file == wanted("file"));
  CHECK(got.user_line == sample.value("line", 0U));
  CHECK(got.user_function == wanted("function"));
  CHECK(got.code == wanted("code"));
  CHECK(got.hint == wanted("hint"));
}

constexpr std::string_view kZeroOneNote =
    " (user code shown is first use of this value--the guard itself is not due user code but due "
    "to 0/1 specialization in the framework; to avoid specialization try "
    "torch._dynamo.decorators.mark_unbacked(tensor, dim))";
constexpr std::string_view kModuleIntHint =
    " (HINT: torch.compile considers integer attributes of the nn.Module to be static. If you are "
    "observing recompilation, you might want to make this integer dynamic using "
    "torch._dynamo.config.allow_unspec_int_on_nn_module = True, or convert this integer into a "
    "tensor.)";
constexpr std::string_view kParameterNote =
    ". Guard failed on a parameter, consider using "
    "torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";

// Every sample of a bare guard, for the properties below.
std::vector<nlohmann::json> AllSamples() {
  std::vector<nlohmann::json> all;
  for (const nlohmann::json& samples : Table().at("guards")) {
    all.insert(all.end(), samples.begin(), samples.end());
  }
  return all;
}

TEST_CASE("guard classes have the names of the contract") {
  const std::vector<std::string_view> names = {
      "size",          "stride",   "ndim",         "dtype", "device", "requires_grad",
      "dispatch_keys", "symbolic", "zero_one",     "int",   "float",  "bool",
      "str",           "none",     "length",       "keys",  "type",   "identity",
      "aliasing",      "backend",  "global_state", "empty", "other"};
  REQUIRE(names.size() == kNumGuardClasses);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(GuardClassName(static_cast<GuardClass>(i)) == names[i]);
  }
}

TEST_CASE("a reason is read as its sample says", "[model]") {
  for (const char* part : {"guards", "reasons"}) {
    for (const auto& [statement, samples] : Table().at(part).items()) {
      INFO(statement);
      for (const nlohmann::json& sample : samples) CheckSample(sample);
    }
  }
}

TEST_CASE("a guard shows the Python type of what it is about", "[model]") {
  for (const auto& [text, type] : Table().at("types").items()) {
    INFO("reason: " << text);
    CHECK(PythonTypeName(ParseGuardFailure(text).value_type) == type.get<std::string>());
  }
}

TEST_CASE("the compile id of the entry is separated from the guard") {
  const auto entry_and_guard = [](std::string_view text) {
    const GuardFailure got = ParseGuardFailure(text);
    return std::string(got.entry) + "|" + std::string(got.guard);
  };
  CHECK(entry_and_guard("0/1: n == 1") == "0/1|n == 1");
  CHECK(entry_and_guard("10/12_3: n == 1") == "10/12_3|n == 1");
  CHECK(entry_and_guard("!0/3/0: n == 1") == "!0/3/0|n == 1");
  CHECK(entry_and_guard("!2: n == 1") == "!2|n == 1");
  CHECK(entry_and_guard("None: n == 1") == "|n == 1");
  CHECK(entry_and_guard("  - 0/1: n == 1  \r") == "0/1|n == 1");
  CHECK(entry_and_guard("* - \xe2\x80\xa2 n == 1") == "|n == 1");
  CHECK(entry_and_guard("0/1:n == 1") == "|0/1:n == 1");
  CHECK(entry_and_guard("3: n == 1") == "|3: n == 1");
  CHECK(entry_and_guard("-1 <= n") == "|-1 <= n");
}

TEST_CASE("a reason without text is empty") {
  for (std::string_view text :
       {"", "  ", "-", "None", "[]", "[None]", "Unable to find recompilation reasons"}) {
    INFO("reason: " << text);
    CHECK(ParseGuardFailure(text).guard_class == GuardClass::kEmpty);
    CHECK(ParseGuardFailure(text).entry.empty());
  }
  for (std::string_view text :
       {"0/0:", "0/0: ", "- 0/0:   ", "0/0: Unable to find recompilation reasons"}) {
    INFO("reason: " << text);
    CHECK(ParseGuardFailure(text).guard_class == GuardClass::kEmpty);
    CHECK(ParseGuardFailure(text).entry == "0/0");
  }
}

TEST_CASE("a bound of two on a plain int is zero_one only if the comment says so") {
  const std::string noted = "2 <= n  # y = x * n  # a.py:5 in f" + std::string(kZeroOneNote);
  CHECK(ParseGuardFailure(noted).guard_class == GuardClass::kZeroOne);
  CHECK(ParseGuardFailure("2 <= n  # if n >= 2:  # a.py:5 in f").guard_class ==
        GuardClass::kSymbolic);
}

TEST_CASE("a hint is what torch proposes, not what the source line happens to call") {
  const auto hint = [](const std::string& text) { return ParseGuardFailure(text).hint; };
  CHECK(hint("self.n == 7               " + std::string(kModuleIntHint)) ==
        "allow_unspec_int_on_nn_module");
  CHECK(hint("self.n == 7 (HINT: torch.compile considers integer attributes of the nn.Module to") ==
        "allow_unspec_int_on_nn_module");
  CHECK(hint("tensor 'w' size mismatch at index 0. expected 3, actual 1" +
             std::string(kParameterNote)) == "force_parameter_static_shapes");
  CHECK(hint("x.size()[0] == 3  # y = x (HINT: try TORCH_COMPILE_DYNAMIC_SOURCES=\"x\")") ==
        "dynamic_sources");
  CHECK(
      hint("x.size()[0] <= 3  # y = x  # a.py:1 in f (HINT: use torch._dynamo.mark_dynamic(x))") ==
      "mark_dynamic");
  CHECK(hint("x.size()[0] <= 3  # torch._dynamo.mark_dynamic(x, 0)  # a.py:1 in f").empty());
  CHECK(hint("fn.n == 1   # return x + i  # a.py:1 in f (HINT: guard on \"i\")").empty());
  // PyTorch pads other guards to 60 columns; this is the form of those on symbols.
  CHECK(hint("fn.n == 1  # return t[i]  # a.py:1 in f") == "needs_value");
  CHECK(hint("___check_type_id(o, 1), type=<class 'O'>  # if o:  # a.py:1 in f (HINT: type O)")
            .empty());
}

TEST_CASE("a sentence behind the values is no part of them") {
  // Somebody quoted the log and went on writing.
  const GuardFailure quoted =
      ParseGuardFailure("tensor 'x' size mismatch at index 0. expected 1, actual 3\" said the log");
  CHECK(quoted.actual == "3");
  CHECK(quoted.guard == "tensor 'x' size mismatch at index 0. expected 1, actual 3");
  const std::string text =
      "tensor 'self.p' dtype mismatch. expected Float, actual Half" + std::string(kParameterNote);
  const GuardFailure got = ParseGuardFailure(text);
  CHECK(got.guard == "tensor 'self.p' dtype mismatch. expected Float, actual Half");
  CHECK(got.expected == "Float");
  CHECK(got.actual == "Half");
}

TEST_CASE("device indices that were printed as characters are read as numbers") {
  using namespace std::string_view_literals;
  const auto device = [](std::string_view expected, std::string_view actual) {
    std::string text = "tensor 'x' Tensor device index mismatch. Expected device index to be ";
    text.append(expected).append(", actual ").append(actual);
    const GuardFailure got = ParseGuardFailure(text);
    CHECK(got.guard_class == GuardClass::kDevice);
    return std::string(got.expected) + " " + std::string(got.actual);
  };
  CHECK(device("\0"sv, "\x01"sv) == "0 1");
  CHECK(device("\x07"sv, "\xff"sv) == "7 -1");
  CHECK(device("\xef\xbf\xbd"sv, "\0"sv) == "-1 0");
  CHECK(device("0", "3") == "0 3");
}

// Whether `part` lies within `whole`, or is text that outlives it.
bool IsWithin(std::string_view part, std::string_view whole) {
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const auto first = reinterpret_cast<uintptr_t>(whole.data());
  return begin >= first && begin + part.size() <= first + whole.size();
}

// Reads a copy of `text` at the end of a heap block of its own, where a sanitizer sees one byte too
// many, and checks what must hold for any text.
void CheckProperties(std::string_view text) {
  const std::vector<char> block(text.begin(), text.end());
  const std::string_view copy(block.data(), block.size());
  const GuardFailure got = ParseGuardFailure(copy);
  bool fine = true;
  for (std::string_view part : {got.entry, got.guard, got.source, got.user_file, got.user_function,
                                got.code, got.actual, got.expected, got.hint}) {
    fine = fine && part.size() <= std::max<size_t>(copy.size(), 40);
    // No part has blanks at its edges.
    if (!part.empty()) fine = fine && part.front() != ' ' && part.back() != ' ';
  }
  for (std::string_view part :
       {got.entry, got.guard, got.source, got.user_file, got.user_function, got.code}) {
    fine = fine && (part.empty() || IsWithin(part, copy));
  }
  fine = fine && got.dim >= -1 && static_cast<size_t>(got.guard_class) < kNumGuardClasses;
  fine = fine && (got.guard_class == GuardClass::kEmpty || !got.guard.empty() ||
                  copy.find_first_of("#;(") != std::string_view::npos);
  INFO("reason: " << text.substr(0, 400));
  if (!fine) CHECK(fine);
}

std::vector<std::string> LongSamples() {
  std::vector<std::string> texts;
  for (const nlohmann::json& sample : AllSamples()) {
    const std::string reason = sample.at("reason");
    texts.push_back("0/1: " + reason + "      # y = x['#'] (1)  # mp/m.py:25 in f" +
                    std::string(kZeroOneNote) + std::string(kModuleIntHint));
    texts.push_back(reason + std::string(kParameterNote));
  }
  return texts;
}

TEST_CASE("a text cut at any byte is read within its bounds") {
  for (const std::string& text : LongSamples()) {
    for (size_t size = 0; size <= text.size(); ++size) {
      CheckProperties(std::string_view(text).substr(0, size));
    }
  }
}

TEST_CASE("the comment behind a guard changes nothing of what the guard says") {
  for (const nlohmann::json& sample : AllSamples()) {
    const std::string reason = sample.at("reason");
    const GuardFailure bare = ParseGuardFailure(reason);
    // Sentences of C++ guards have no comment.
    if (bare.guard != reason || reason.find("ensor") != std::string::npos) continue;
    if (reason.ends_with('(')) continue;
    INFO("reason: " << reason);
    const std::string text = "3/2: " + reason + "     # y = x  # mp/m.py:25 in f";
    const GuardFailure got = ParseGuardFailure(text);
    CHECK(got.guard == reason);
    CHECK(GuardClassName(got.guard_class) == GuardClassName(bare.guard_class));
    CHECK(got.source == bare.source);
    CHECK(got.expected == bare.expected);
    CHECK(got.user_line == 25);
    CHECK(got.code == "y = x");
  }
}

TEST_CASE("any bytes are read within their bounds") {
  std::mt19937 random(42);
  // Mostly bytes that mean something here, and pieces of real texts.
  constexpr std::string_view kBytes = "#'\"()[]{}<>=!;:.,-+*/% \\\t\n\r_0129abinoLGE\xff\x80";
  const std::vector<std::string> samples = LongSamples();
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    const size_t pieces = random() % 12;
    for (size_t piece = 0; piece < pieces; ++piece) {
      if (random() % 3 == 0) {
        const std::string& sample = samples[random() % samples.size()];
        const size_t begin = random() % sample.size();
        text += sample.substr(begin, random() % 40);
      } else {
        for (size_t n = random() % 10; n > 0; --n) text += kBytes[random() % kBytes.size()];
      }
    }
    CheckProperties(text);
  }
}

TEST_CASE("hostile nesting and repetition take time linear in the text") {
  const auto repeat = [](std::string_view unit) {
    std::string text;
    while (text.size() < 400'000) text += unit;
    return text;
  };
  const auto start = std::chrono::steady_clock::now();
  for (std::string_view unit : {"(",
                                "[",
                                "'",
                                "\"'",
                                "\\'",
                                "a(",
                                "a[",
                                "not ",
                                "# ",
                                "# a.py:1 ",
                                ":1 in x",
                                "a.py:1 in b c ",
                                "tensor '",
                                "' ",
                                "Eq(",
                                "L['x'].size()[0] == ",
                                " and ",
                                "; ",
                                "(HINT: ",
                                "0/1: ",
                                "- ",
                                "[['",
                                "list(dict.keys(",
                                "x ",
                                "1",
                                "torch._dynamo.",
                                ")(",
                                "((a)"}) {
    const std::string repeated = repeat(unit);
    CheckProperties(repeated);
    CheckProperties("tensor '" + repeated);
    CheckProperties("n == 1  # " + repeated);
    CheckProperties("len(" + repeated + ") == 3");
  }
  // Some 45 MB; a quadratic scan of one text alone would need minutes.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

}  // namespace
}  // namespace shapewise
