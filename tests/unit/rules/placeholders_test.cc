#include "rules/placeholders.h"

#include "support/catch.h"

namespace shapewise {
namespace {

Cause FullCause() {
  Cause cause;
  cause.where = {.function = "forward", .file = "/w/model.py", .line = 10};
  cause.user = {.function = "attend", .file = "/w/attention.py", .line = 33};
  cause.culprit = Culprit{.guard_class = GuardClass::kSize, .source = "L['x']", .dim = 1};
  cause.values = {"8", "6", "8"};
  cause.distinct_values = 2;
  cause.count = 3;
  cause.limit_hit = true;
  cause.limit_name = LimitName::kRecompileLimit;
  cause.limit = 8;
  cause.hint = "mark_unbacked";
  cause.gb = "GB0059";
  cause.type = "the type";
  cause.context = "the context";
  cause.message = "the message";
  cause.why = "loop-break";
  cause.action = "skip";
  cause.amount = 9;
  cause.ranks = {0, 1, 2, 3, 6};
  return cause;
}

TEST_CASE("each placeholder is replaced by its value in the cause", "[rules]") {
  const auto [text, filled] = GENERATE(table<std::string, std::string>({
      {"{function} {file}:{line}", "forward /w/model.py:10"},
      {"{source} {source_expr} {dynamic_source} {dim}", "L['x'] x L['x'] 1"},
      {"{values}, {distinct} of them", "8, 6, 2 of them"},
      {"{count} {times}", "3 3 times"},
      {"{limit_name} ({limit})", "recompile_limit (8)"},
      {"{hint} {gb} {type} {context}", "mark_unbacked GB0059 the type the context"},
      {"{message} {why} {action} {amount}", "the message loop-break skip 9"},
      {"{user_file}:{user_line} {user_function}", "/w/attention.py:33 attend"},
      {"rank {ranks}", "rank 0-3, 6"},
  }));
  CHECK(FillPlaceholders(text, FullCause()) == filled);
}

TEST_CASE("code names the attribute of a module, and is left out for other sources", "[rules]") {
  const auto [source, code] = GENERATE(table<std::string, std::string>({
      {"L['self'].steps", "register_buffer('steps')"},
      {"L['self']._modules['inner'].steps", "register_buffer('steps')"},
      {"L['self'].num_updates_of_the_running_mean",
       "register_buffer('num_updates_of_the_running_mean')"},
      {"L['steps']", ""},
      {"L['self'].table[3]", ""},
      {"", ""},
  }));
  Cause cause = FullCause();
  cause.culprit->source = source;
  CHECK(FillCode("register_buffer('{attribute}')", cause) == code);
}

TEST_CASE("the dim behind a varying stride is named where the strides have no factor in common",
          "[rules]") {
  // The strides of dim 0 of contiguous tensors of sizes (2, n), (2, n, 4), and of one that is not.
  const auto [values, dim] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"5263", "5147"}, "1"},
      {{"40", "44"}, ""},
      {{"16", "1"}, ""},
      {{"7"}, ""},
  }));
  Cause cause = FullCause();
  cause.culprit = Culprit{.guard_class = GuardClass::kStride, .source = "L['x']", .dim = 0};
  cause.values = values;
  cause.distinct_values = values.size();
  CHECK(FillCode("{dim_behind}", cause) == dim);
}

TEST_CASE("a variable is described by what keeps its value", "[rules]") {
  const auto [source, text] = GENERATE(table<std::string, std::string>({
      {"n", "n"},
      {"G['COUNT']", "the global COUNT"},
      {"f.__defaults__[0]", "the default f.__defaults__[0]"},
      {"L['q'].step", "the attribute L['q'].step"},
      {"cfg['step']", "the item cfg['step']"},
      {"", "a value"},
  }));
  Cause cause = FullCause();
  cause.culprit->source = source;
  CHECK(FillPlaceholders("{variable}", cause) == text);
}

TEST_CASE("one value is not several", "[rules]") {
  Cause cause = FullCause();
  CHECK(FillPlaceholders("{?took {several_values}|is {values}}", cause) == "took 8, 6");
  cause.values = {"8"};
  cause.distinct_values = 1;
  CHECK(FillPlaceholders("{?took {several_values}|is {values}}", cause) == "is 8");
}

TEST_CASE("unknown values are called unknown", "[rules]") {
  const std::string name =
      GENERATE(as<std::string>(), "file", "line", "source_expr", "attribute", "dynamic_source",
               "dim", "values", "distinct", "limit", "hint", "gb", "context", "message", "why",
               "action", "amount", "user_file", "user_line", "user_function", "ranks");
  CAPTURE(name);
  CHECK(FillPlaceholders("<{" + name + "}>", Cause()) == "<(unknown)>");
}

TEST_CASE("an optional part is printed only if all of it is known", "[rules]") {
  const auto [text, full, bare] = GENERATE(table<std::string, std::string, std::string>({
      {"size{? in dim {dim}} of", "size in dim 1 of", "size of"},
      {"{?{function}|a frame} runs", "forward runs", "a frame runs"},
      {"x{?, {gb}, {dim}}", "x, GB0059, 1", "x"},
      {"a {?b", "a {?b", "a {?b"},
  }));
  CAPTURE(text);
  CHECK(FillPlaceholders(text, FullCause()) == full);
  CHECK(FillPlaceholders(text, Cause()) == bare);
}

TEST_CASE("code with an unknown placeholder is empty", "[rules]") {
  CHECK(FillCode("x.size({dim})", FullCause()) == "x.size(1)");
  CHECK(FillCode("x.size({dim})", Cause()).empty());
  CHECK(FillCode("x.size({?{dim}|0})", Cause()) == "x.size(0)");
  CHECK(FillCode("a if b else '?'", Cause()) == "a if b else '?'");
}

TEST_CASE("an unclosed optional part is an error", "[rules]") {
  CHECK(llvm::toString(CheckPlaceholders("{? in dim {dim}")) == "'{?' without its '}'");
  CHECK(llvm::toString(CheckPlaceholders("{? ({type}{?: {context}})}")) == "'{?' inside of '{?'");
  CHECK(llvm::toString(CheckPlaceholders("{? in dim {dim}}")).empty());
  CHECK(llvm::toString(CheckPlaceholders("{? in dim {dims}}")) ==
        "unknown placeholder {dims}; did you mean 'dim'?");
}

TEST_CASE("an unknown function or source is called 'a function' or 'a value'", "[rules]") {
  CHECK(FillPlaceholders("{function} runs eager", Cause()) == "a function runs eager");
  CHECK(FillPlaceholders("{source} changed", Cause()) == "a value changed");
  CHECK(FillPlaceholders("runs eager{? in {function}}", Cause()) == "runs eager");
}

TEST_CASE("code never contains sources that only Dynamo can name", "[rules]") {
  Cause cause = FullCause();
  cause.culprit->source = "___stack0";
  CHECK(FillCode("mark_dynamic({source_expr}, {dim})", cause).empty());
  CHECK(FillPlaceholders("{source_expr}", cause) == "___stack0");
}

TEST_CASE("the function of a wrapper is the user's module", "[rules]") {
  Cause cause = FullCause();
  cause.display_function = "Encoder.forward";
  CHECK(FillPlaceholders("{function}", cause) == "Encoder.forward");
}

TEST_CASE("many values are cut after six", "[rules]") {
  Cause cause;
  for (int value = 1; value <= 8; ++value) cause.values.push_back(std::to_string(value));
  CHECK(FillPlaceholders("{values}", cause) == "1, 2, 3, 4, 5, 6, ... (8 in all)");
  cause.distinct_values = 14;  // more than are kept
  CHECK(FillPlaceholders("{values}", cause) == "1, 2, 3, 4, 5, 6, ... (14 in all)");
  cause.values.resize(6);
  cause.distinct_values = 6;
  CHECK(FillPlaceholders("{values}", cause) == "1, 2, 3, 4, 5, 6");
}

TEST_CASE("a count of one is printed as 'once'", "[rules]") {
  Cause cause;
  cause.count = 1;
  CHECK(FillPlaceholders("{times}", cause) == "once");
}

TEST_CASE("inserted values are one short line", "[rules]") {
  Cause cause;
  cause.message = "two\nlines\r";
  CHECK(FillPlaceholders("{message}", cause) == "two lines ");
  cause.values = {std::string(57, 'a') + "\xC3\xA4\xC3\xA4", ""};
  CHECK(FillPlaceholders("{values}", cause) == std::string(57, 'a') + "..., ''");
  cause.type = std::string(500, 'b');
  CHECK(FillPlaceholders("{type}", cause) == std::string(197, 'b') + "...");
}

TEST_CASE("placeholders in inserted values are not expanded", "[rules]") {
  Cause cause;
  cause.message = "{count}";
  CHECK(FillPlaceholders("{message}", cause) == "{count}");
}

TEST_CASE("other braces are plain text", "[rules]") {
  const std::string text =
      GENERATE(as<std::string>(), "{'a': 1}", "{ x }", "{}", "{", "a {b", "f'{x[0]}'", "{X}");
  CAPTURE(text);
  CHECK(FillPlaceholders(text, FullCause()) == text);
  CHECK(llvm::toString(CheckPlaceholders(text)).empty());
}

TEST_CASE("the error for an unknown placeholder suggests the nearest one", "[rules]") {
  CHECK(llvm::toString(CheckPlaceholders("{count} of {sorce}")) ==
        "unknown placeholder {sorce}; did you mean 'source'?");
}

}  // namespace
}  // namespace shapewise
