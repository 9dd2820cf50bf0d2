// What-ifs and calls without names mean what they meant with them.

#include "redact/redact.h"

#include <string>

#include "model/call_history_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

PolicyChange Parsed(const std::string& text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  if (!change) FAIL(llvm::toString(change.takeError()));
  return std::move(*change);
}

TEST_CASE("a redacted what-if equals its text", "[redact]") {
  for (const std::string text :
       {"mark_dynamic(zqx, 1)", "mark_dynamic( self.zqx[0] , [0, 1], min=2, max=8)",
        "maybe_mark_dynamic(L['zqx'], 0) + limit 16", "isolate", "as-is", "dynamic=True",
        "buckets(zqx, 1, 16|32, fill=-100) + mark_static(zqx, 1)",
        "buckets(zqx:0, zqy:1=-1, 8x64|16x128)", "serve(zqx, 1, 1..64:64|65..512:dynamic)",
        "serve(zqx:1, zqy:1=-1, 1..64:64|65..:eager)", "dynamic_sources=\"zqx,zqy.0\"",
        "unbacked_sources='zqx' + recompile_limit=4", "mark_static(mark_static, 0)"}) {
    INFO(text);
    Redactor redactor({});
    PolicyChange change = Parsed(text);
    RedactChange(redactor, change);
    INFO(change.text);
    CHECK(change.text.find("zq") == std::string::npos);
    // The tokens are no names any more: as they stand in the text they are what is asked for.
    const PolicyChange again = Parsed(change.text);
    CHECK(again.text == change.text);
    CHECK(again.options == change.options);
    CHECK(again.marks == change.marks);
    CHECK(again.buckets == change.buckets);
    CHECK(again.shapes == change.shapes);
    CHECK(again.serving == change.serving);
    REQUIRE(again.named.size() == change.named.size());
    for (size_t i = 0; i < again.named.size(); ++i) {
      CHECK(again.named[i].begin == change.named[i].begin);
      CHECK(again.named[i].size == change.named[i].size);
    }
  }
}

TEST_CASE("only sources of a what-if become tokens", "[redact]") {
  Redactor redactor({});
  PolicyChange change = Parsed("mark_static(mark_static, 0) + limit 4 + mode=max-autotune");
  RedactChange(redactor, change);
  CHECK(change.text == "mark_static(name1, 0) + limit 4 + mode=max-autotune");
}

TEST_CASE("equal calls stay equal, and different calls stay different", "[redact]") {
  CallHistory history;
  CallHistoryBuilder builder(history);
  for (const std::string mode : {"train", "eval", "train", "name1"}) {
    CallValue value;
    value.kind = CallValue::Kind::kStr;
    value.text = builder.strings().Intern(mode);
    builder.Set(builder.Source(CallHistoryBuilder::kNoParent, "L['mode']"), value);
    TensorValue tensor;
    tensor.sizes = {8, 16};
    tensor.type = builder.strings().Intern("Parameter");
    builder.SetTensor(builder.Source(CallHistoryBuilder::kNoParent, "L['self'].cache"), tensor);
    builder.EndCall(RecordedCall(), builder.strings().Intern("grad=off"));
  }
  builder.Finish();
  Redactor redactor({"key", {}});
  RedactHistory(redactor, history);

  const auto text = [&](size_t call) {
    const CallSignature& signature = history.signatures[history.calls[call].signature];
    return std::string(history.strings.text(signature.values[0].text));
  };
  CHECK(text(0) == text(2));
  CHECK(text(0) != text(1));
  CHECK(text(0) != text(3));
  CHECK(text(0) == redactor.Rewrite(TextKind::kExpression, "train"));
  CHECK(history.strings.text(history.sources[1]).starts_with("L['self'].name"));
  // What decides how Dynamo takes a call stays.
  CHECK(history.strings.text(history.tensors[0].type) == "Parameter");
  CHECK(history.strings.text(history.signatures[0].state) == "grad=off");
}

}  // namespace
}  // namespace shapewise
