#include "rules/explain.h"

#include "fixture_rules.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr std::string_view kRule = R"(# scalar-extraction (SWB004)

A tensor's value becomes a Python number.

```json rule
{"code": "SWB004", "since": "0.1", "severity": "warning", "torch": ">=2.0",
 "over": "graph_break", "where": {"category": ["SCAL"]}, "message": "found"}
```

## Why it costs

It waits for the device.

It splits the graph.

## What to do

Keep it a tensor:

```python
if x.sum() > 0:

    y = x
```

### If not

Live with it.

## Fires

```log
a log for the tests
```

```expect
log:1: warning[SWB004]: found
```

## Stays quiet

Elsewhere.

```log
another log
```

## Sources

- torch/_dynamo
)";

constexpr std::string_view kManual = R"(scalar-extraction (SWB004)

A tensor's value becomes a Python number.

warning, since shapewise 0.1, for torch >=2.0

Why it costs
------------

It waits for the device.

It splits the graph.

What to do
----------

Keep it a tensor:

    if x.sum() > 0:

        y = x

If not

Live with it.

Stays quiet
-----------

Elsewhere.

Sources
-------

- torch/_dynamo
)";

RuleSet FixtureSet() {
  FixtureFiles files;
  files.Add(std::string(kFixtureRegistryPath), std::string(kFixtureRegistry));
  files.Add("rules/graph-breaks/scalar-extraction.md", std::string(kRule));
  return files.Set();
}

std::string Explained(std::string_view what) {
  Expected<std::string> text = FixtureSet().Explain(what);
  return text ? *text : llvm::toString(text.takeError());
}

TEST_CASE("a rule is explained without its data and its tests", "[rules]") {
  CHECK(Explained("SWB004") == kManual);
  CHECK(Explained("swb004") == kManual);
  CHECK(Explained("scalar-extraction") == kManual);
}

TEST_CASE("a graph break is explained in words, and by the rule that covers it", "[rules]") {
  const std::string head =
      "GB0124: Unsupported Tensor.item() call\n\n"
      "category  scalar extraction: a tensor's value becomes a Python number\n"
      "fix       set a flag\n"
      "hint      a user error; a hint of its own\n"
      "rule      SWB004 scalar-extraction\n\n";
  CHECK(Explained("GB0124") == head + std::string(kManual));
  CHECK(Explained("gb124") == Explained("GB0124"));
}

TEST_CASE("fixes for some cases and codes without words are printed", "[rules]") {
  CHECK(Explained("GB0033").starts_with(
      "GB0033: Data dependent operator\n\n"
      "category  scalar extraction: a tensor's value becomes a Python number\n"
      "fix       set a flag; for some cases: by hand\n"
      "hint      -\n"));
}

TEST_CASE("a break without a rule is explained from the registry", "[rules]") {
  CHECK(Explained("GB4501") ==
        "GB4501: Failed to trace builtin operator\n\n"
        "category  side effects\n"
        "fix       by hand\n"
        "now       GB0059\n");
}

TEST_CASE("the error for an unknown name suggests the nearest ones, and for a code its kind",
          "[rules]") {
  CHECK(
      Explained("SWB400") ==
      "no rule or graph break is called 'SWB400'; to list the rules of this kind: shapewise rules "
      "SWB");
  CHECK(Explained("scalar-extracton") ==
        "no rule or graph break is called 'scalar-extracton'; nearest: scalar-extraction");
  CHECK(Explained("GB0034") ==
        "no rule or graph break is called 'GB0034'; the ids are those of "
        "torch/_dynamo/graph_break_registry.json");
  CHECK(Explained("what") ==
        "no rule or graph break is called 'what'; `shapewise rules` lists the rules");
}

}  // namespace
}  // namespace shapewise
