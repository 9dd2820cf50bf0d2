// Patterns of values are recognised by their class, their names and their order.

#include "causes/value_pattern.h"

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

// A run in which entry k was compiled for the k-th of `values`, and all entries print what they
// expected.
Cause FoldValues(GuardClass guard_class, std::string_view source,
                 const std::vector<std::string>& values, std::string_view file = "/app/model.py",
                 std::string_view function = "forward") {
  RunBuilder run;
  for (size_t compile = 1; compile <= values.size(); ++compile) {
    const std::string id = "0/" + std::to_string(compile);
    const std::string entry = "0/" + std::to_string(compile - 1);
    run.Recompile({.id = id, .function = function, .file = file},
                  {{.entry = entry,
                    .guard_class = guard_class,
                    .source = source,
                    .dim = guard_class == GuardClass::kSize ? 0 : -1,
                    .expected = values[compile - 1]}});
  }
  return run.FoldToOne();
}

ValuePattern PatternOf(GuardClass guard_class, std::string_view source,
                       const std::vector<std::string>& values,
                       std::string_view file = "/app/model.py",
                       std::string_view function = "forward") {
  return FoldValues(guard_class, source, values, file, function).pattern;
}

constexpr std::string_view kLibraryFile =
    "/opt/venv/lib/python3.11/site-packages/torch/optim/adam.py";

TEST_CASE("an int that goes up by one is a counter", "[causes]") {
  for (const std::string_view source : {"step", "G['step']", "self.num_calls", "self.width"}) {
    CHECK(PatternOf(GuardClass::kInt, source, {"2", "3", "4"}) == ValuePattern::kCounter);
  }
  CHECK(PatternOf(GuardClass::kInt, "step", {"10", "20", "30"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kInt, "step", {"3", "2", "1"}) == ValuePattern::kVarying);
}

TEST_CASE("an int named like a layer index is an enumeration", "[causes]") {
  for (const std::string_view source :
       {"self.layer_idx", "self.config.layer_id", "self._modules['attn'].idx", "layer_idx"}) {
    CHECK(PatternOf(GuardClass::kInt, source, {"0", "1", "2"}) == ValuePattern::kEnumeration);
  }
  CHECK(PatternOf(GuardClass::kInt, "idx", {"0", "1", "2"}) == ValuePattern::kCounter);
  CHECK(PatternOf(GuardClass::kInt, "self.num_layers", {"0", "1", "2"}) == ValuePattern::kCounter);
}

TEST_CASE("a tuple that numbers a layer is an enumeration as well", "[causes]") {
  CHECK(PatternOf(GuardClass::kOther, "self._modules['conv'].layer_idx",
                  {"(7, 'conv')", "(8, 'conv')"}) == ValuePattern::kEnumeration);
  CHECK(PatternOf(GuardClass::kOther, "self._modules['conv'].padding", {"(1, 1)", "(2, 2)"}) ==
        ValuePattern::kVarying);
}

TEST_CASE("widths of layers are an enumeration, sizes of a batch are not", "[causes]") {
  const auto pattern_of = [](int32_t dim, const std::vector<std::string>& sizes) {
    RunBuilder run;
    for (size_t compile = 1; compile <= sizes.size(); ++compile) {
      run.Recompile({.id = "0/" + std::to_string(compile)},
                    {{.entry = "0/" + std::to_string(compile - 1),
                      .guard_class = GuardClass::kSize,
                      .source = "x",
                      .dim = dim,
                      .expected = sizes[compile - 1]}});
    }
    return run.FoldToOne().pattern;
  };
  CHECK(pattern_of(1, {"128", "256", "512", "1024"}) == ValuePattern::kEnumeration);
  CHECK(pattern_of(1, {"1280", "320", "640"}) == ValuePattern::kEnumeration);
  CHECK(pattern_of(0, {"128", "256", "512", "1024"}) == ValuePattern::kVarying);
  CHECK(pattern_of(1, {"128", "256", "384"}) == ValuePattern::kVarying);
  CHECK(pattern_of(1, {"2", "4", "8", "16"}) == ValuePattern::kVarying);
}

TEST_CASE("a ladder has three sizes that are the smallest times a power of two", "[causes]") {
  CHECK(IsSizeLadder({64, 128, 512}));
  CHECK(IsSizeLadder({3, 32, 64}));
  CHECK_FALSE(IsSizeLadder({64, 128}));
  CHECK_FALSE(IsSizeLadder({64, 128, 192}));
  CHECK_FALSE(IsSizeLadder({0, 64, 128}));
  CHECK_FALSE(IsSizeLadder({}));
}

TEST_CASE("a limit warning alone shows an enumeration by the name of its int", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "L['self'].layer_idx", "7")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kEnumeration);
}

TEST_CASE("a limit warning alone whose int is not its entry's number varies", "[causes]") {
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "width", "96")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kVarying);
}

TEST_CASE(
    "sizes that rise by one step are growing from the fifth value on, lengths from the fourth",
    "[causes]") {
  CHECK(PatternOf(GuardClass::kSize, "k", {"2", "3", "4", "5", "6"}) == ValuePattern::kGrowing);
  CHECK(PatternOf(GuardClass::kSize, "k", {"8", "16", "24", "32", "40"}) == ValuePattern::kGrowing);
  CHECK(PatternOf(GuardClass::kLength, "chunks", {"1", "2", "3", "4"}) == ValuePattern::kGrowing);
}

TEST_CASE("few rising sizes, or sizes that rise unevenly or fall, are not growing", "[causes]") {
  CHECK(PatternOf(GuardClass::kSize, "x", {"2", "3", "4"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kSize, "x", {"2", "3", "4", "5"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kSize, "x", {"2", "3", "4", "5", "8"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kSize, "x", {"8", "16", "32", "64", "128"}) ==
        ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kSize, "x", {"6", "5", "4", "3", "2"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kLength, "chunks", {"1", "2", "3"}) == ValuePattern::kVarying);
}

TEST_CASE("a cache of which a log prints the first sizes and the last is growing", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "k", 2, "10", "11")});
  run.Limit({.id = "0/8"}, 8, {FailedSize("0/7", "k", 2, "17", "18")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kGrowing);
}

TEST_CASE("a size whose last value is not on the line of the first ones varies", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedSize("0/0", "x", 2, "10", "11")});
  run.Limit({.id = "0/8"}, 8, {FailedSize("0/7", "x", 2, "64", "65")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kVarying);
}

TEST_CASE("a cache that starts again after a reset is still growing", "[causes]") {
  RunBuilder run;
  for (int stretch = 0; stretch < 2; ++stretch) {
    for (int entry = 0; entry < 4; ++entry) {
      run.Recompile({.id = "0/" + std::to_string(entry + 1)},
                    {FailedSize("0/" + std::to_string(entry), "k", 2, std::to_string(entry + 3),
                                std::to_string(entry + 4))});
    }
  }
  CHECK(run.FoldToOne().pattern == ValuePattern::kGrowing);
}

TEST_CASE("one recompile that names three sizes is more than one change", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/2"},
                {FailedSize("0/1", "x", 0, "5", "7"), FailedSize("0/0", "x", 0, "4", "7")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kVarying);
}

TEST_CASE("two states of a bool, of None and of grad mode are a toggle from the first change",
          "[causes]") {
  const Cause training = FoldValues(GuardClass::kBool, "self.training", {"True"});
  CHECK(training.pattern == ValuePattern::kToggle);
  CHECK(training.values == std::vector<std::string>{"True", "False"});
  CHECK(PatternOf(GuardClass::kNone, "mask", {"None"}) == ValuePattern::kToggle);

  RunBuilder run;
  run.Recompile({.id = "0/1"}, {{.entry = "0/0",
                                 .guard_class = GuardClass::kGlobalState,
                                 .actual = "grad_mode autocast(cuda)_enabled "}});
  CHECK(run.FoldToOne().pattern == ValuePattern::kToggle);
}

TEST_CASE("global state with more than two states, or more than one, varies", "[causes]") {
  RunBuilder run;
  run.Recompile(
      {.id = "0/1"},
      {{.entry = "0/0", .guard_class = GuardClass::kGlobalState, .actual = "num_threads"}});
  CHECK(run.FoldToOne().pattern == ValuePattern::kOnce);
  run.Recompile({.id = "0/2"},
                {{.entry = "0/1", .guard_class = GuardClass::kGlobalState, .actual = "grad_mode"}});
  CHECK(run.FoldToOne().pattern == ValuePattern::kVarying);
}

TEST_CASE("two values that alternate are a toggle in any class", "[causes]") {
  CHECK(PatternOf(GuardClass::kDtype, "x", {"Float", "Half", "Float"}) == ValuePattern::kToggle);
  CHECK(PatternOf(GuardClass::kSize, "x", {"2", "3", "2", "3"}) == ValuePattern::kToggle);
  CHECK(PatternOf(GuardClass::kFloat, "t", {"0.5", "0.7"}) == ValuePattern::kVarying);
}

TEST_CASE("a string that is a module's path is one value a layer", "[causes]") {
  CHECK(PatternOf(GuardClass::kStr, "self.key", {"'blocks.6.attn'", "'blocks.7.attn'"}) ==
        ValuePattern::kEnumeration);
  CHECK(PatternOf(GuardClass::kStr, "self.key", {"'v1.5'", "'v1.6'"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kStr, "mode", {"'mean'", "'max'"}) == ValuePattern::kVarying);
  RunBuilder run;
  run.Limit({.id = "0/8"}, 8,
            {{.entry = "0/7",
              .guard_class = GuardClass::kStr,
              .source = "self.key",
              .expected = "'model.layers.6.mlp'"}});
  CHECK(run.FoldToOne().pattern == ValuePattern::kEnumeration);
}

TEST_CASE("objects of modules are one a module", "[causes]") {
  for (const GuardClass guard_class : {GuardClass::kIdentity, GuardClass::kType}) {
    CHECK(PatternOf(guard_class, "self._modules['attn'].processor", {"1", "2", "3"}) ==
          ValuePattern::kEnumeration);
    CHECK(PatternOf(guard_class, "L['self']", {"1", "2", "3"}) == ValuePattern::kEnumeration);
    CHECK(PatternOf(guard_class, "L['loss_fn']", {"1", "2", "3"}) == ValuePattern::kNewObject);
  }
}

TEST_CASE("values that are their compile's number count, however few are printed", "[causes]") {
  RunBuilder run;
  run.Recompile({.id = "0/1"}, {FailedInt("0/0", "G['step']", "0")});
  run.Recompile({.id = "0/2"}, {FailedInt("0/1", "G['step']", "1")});
  run.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "G['step']", "7")});
  CHECK(run.FoldToOne().pattern == ValuePattern::kCounter);
  RunBuilder other;
  other.Recompile({.id = "0/1"}, {FailedInt("0/0", "G['step']", "0")});
  other.Recompile({.id = "0/2"}, {FailedInt("0/1", "G['step']", "1")});
  other.Limit({.id = "0/8"}, 8, {FailedInt("0/7", "G['step']", "9")});
  CHECK(other.FoldToOne().pattern == ValuePattern::kVarying);
}

TEST_CASE("one length at a limit is no growing list, even if it is its entry's number",
          "[causes]") {
  const auto pattern_of = [](std::string_view length) {
    RunBuilder run;
    run.Limit({.id = "0/8"}, 8,
              {{.entry = "0/7",
                .guard_class = GuardClass::kLength,
                .source = "self.history",
                .expected = length}});
    return run.FoldToOne().pattern;
  };
  CHECK(pattern_of("7") == ValuePattern::kVarying);
  CHECK(pattern_of("3") != ValuePattern::kGrowing);
}

TEST_CASE("another object each time is a new object", "[causes]") {
  CHECK(PatternOf(GuardClass::kIdentity, "fn", {"", ""}) == ValuePattern::kNewObject);
  CHECK(PatternOf(GuardClass::kType, "x", {"", ""}) == ValuePattern::kNewObject);
  CHECK(PatternOf(GuardClass::kIdentity, "fn", {""}) == ValuePattern::kOnce);
}

TEST_CASE("library code is compiled once a parameter set, unless sizes force it", "[causes]") {
  const std::vector<std::string> rates = {"0.1", "0.2", "0.4"};
  CHECK(PatternOf(GuardClass::kFloat, "lr", rates, kLibraryFile, "adam") ==
        ValuePattern::kParameterSet);
  CHECK(PatternOf(GuardClass::kFloat, "lr", rates) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kSize, "exp_avg", {"8", "4", "6"}, kLibraryFile, "adam") ==
        ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kInt, "step", {"1", "2", "3"}, kLibraryFile, "adam") ==
        ValuePattern::kCounter);
  CHECK(PatternOf(GuardClass::kFloat, "scale", rates,
                  "/venv/site-packages/torch/_dynamo/external_utils.py",
                  "inner") == ValuePattern::kVarying);
}

TEST_CASE("a single recompile is once", "[causes]") {
  CHECK(PatternOf(GuardClass::kFloat, "temperature", {"1.0"}) == ValuePattern::kOnce);
  CHECK(PatternOf(GuardClass::kSize, "x", {"4"}) == ValuePattern::kOnce);
  CHECK(PatternOf(GuardClass::kInt, "step", {"4"}) == ValuePattern::kOnce);
}

TEST_CASE("numbers too large to compare are followed as text", "[causes]") {
  CHECK(PatternOf(GuardClass::kInt, "seed",
                  {"99999999999999999999", "99999999999999999998", "7"}) == ValuePattern::kVarying);
  CHECK(PatternOf(GuardClass::kInt, "n", {"-2", "-1", "0"}) == ValuePattern::kCounter);
}

}  // namespace
}  // namespace shapewise
