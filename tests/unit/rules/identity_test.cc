#include "rules/identity.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "support/catch.h"

namespace shapewise {
namespace {

Cause SizeCause() {
  Cause cause;
  cause.where = {.function = "forward", .file = "/w/model.py", .line = 10};
  cause.culprit = Culprit{.guard_class = GuardClass::kSize, .source = "L['x']", .dim = 0};
  return cause;
}

Cause BreakCause() {
  Cause cause;
  cause.kind = CauseKind::kGraphBreak;
  cause.where = {.function = "forward", .file = "/w/model.py", .line = 10};
  cause.user = {.function = "attend", .file = "/w/layers.py", .line = 40};
  cause.type = "call_function BuiltinVariable(print)";
  return cause;
}

std::string FingerprintOf(const Cause& cause) { return Fingerprint(IdentityOf(cause, {})); }

TEST_CASE("a fingerprint is 16 hex digits that no release may change", "[rules]") {
  const std::string fingerprint = FingerprintOf(SizeCause());
  CHECK(fingerprint.size() == 16);
  CHECK(std::ranges::all_of(fingerprint, [](char c) { return llvm::isHexDigit(c); }));
  CHECK(fingerprint == "3bc6a619579dc00d");
}

TEST_CASE("a cause stays the same when lines and folders shift", "[rules]") {
  const Cause cause = SizeCause();
  Cause moved = cause;
  moved.where.file = "C:\\other\\model.py";
  moved.where.line = 99;
  moved.user = {.function = "helper", .file = "/w/model.py", .line = 7};
  moved.count = 12;
  moved.values = {"4", "5"};
  moved.events = {3, 4};
  CHECK(IdentityOf(moved, {}) == IdentityOf(cause, {}));
  Cause later = cause;
  later.where.function = "torch_dynamo_resume_in_forward_at_42";
  moved.where.function = "torch_dynamo_resume_in_forward_at_57_3";
  CHECK(IdentityOf(moved, {}) == IdentityOf(later, {}));
  moved.where.function = "<graph break in forward>";  // 2.0
  CHECK(IdentityOf(moved, {}) == IdentityOf(later, {}));
  CHECK(IdentityOf(later, {}) != IdentityOf(cause, {}));
}

TEST_CASE("a cause stays the same however releases spell its source", "[rules]") {
  const auto [older, newer, stable] = GENERATE(table<std::string, std::string, std::string>({
      {"L['x']", "x", "x"},
      {"L[\"x\"]", "x", "x"},
      {"L['self']._modules['layers']._modules['0'].eps",
       "self._modules['layers']._modules['0'].eps", "self.layers[0].eps"},
      {"L['self'].layers[0].eps", "self._modules['layers']._modules['0'].eps",
       "self.layers[0].eps"},
      {"L['batch']['ids']", "batch[\"ids\"]", "batch['ids']"},
      {"G['STEP']", "STEP", "STEP"},
  }));
  Cause before = SizeCause();
  before.culprit->source = older;
  Cause after = SizeCause();
  after.culprit->source = newer;
  CHECK(IdentityOf(before, {}).source == stable);
  CHECK(IdentityOf(after, {}).source == stable);
}

TEST_CASE("a cause stays the same whichever relation of a size is printed", "[rules]") {
  Cause cause = SizeCause();
  cause.culprit->guard_class = GENERATE(GuardClass::kSymbolic, GuardClass::kZeroOne);
  CHECK(FingerprintOf(cause) == FingerprintOf(SizeCause()));
  cause.culprit->dim = -1;
  CHECK(IdentityOf(cause, {}).guard_class == "int");
}

TEST_CASE("global state is one culprit, however it is worded", "[rules]") {
  Cause cause = SizeCause();
  cause.culprit = Culprit{.guard_class = GuardClass::kGlobalState, .source = "grad_mode"};
  Cause other = cause;
  other.culprit->source = "";
  CHECK(FingerprintOf(cause) == FingerprintOf(other));
}

TEST_CASE("a wrapper is identified by the function it wraps", "[rules]") {
  Cause inner = SizeCause();
  inner.where = {.function = "inner",
                 .file = "/lib/python3.11/site-packages/torch/_dynamo/external_utils.py",
                 .line = 38};
  inner.user = {.function = "forward", .file = "/w/model.py", .line = 12};
  CHECK(FingerprintOf(inner) == FingerprintOf(SizeCause()));

  Cause other = inner;
  other.where = {.function = "wrapper",
                 .file = "/lib/python3.11/site-packages/transformers/utils/generic.py",
                 .line = 9};
  CHECK(FingerprintOf(other) == FingerprintOf(inner));
  other.user.function = "encode";
  CHECK(FingerprintOf(other) != FingerprintOf(inner));

  Cause unknown = inner;
  unknown.user = {};
  CHECK(IdentityOf(unknown, {}).function == "inner");
}

TEST_CASE("a break is identified by the user's line, not by the compiled frame", "[rules]") {
  const Cause cause = BreakCause();
  Cause other = cause;
  other.where = {.function = "caller", .file = "/w/main.py", .line = 3};
  CHECK(FingerprintOf(other) == FingerprintOf(cause));
  Cause old = cause;
  old.where = old.user;
  old.user = {};
  CHECK(FingerprintOf(old) == FingerprintOf(cause));
  other.user.function = "torch_dynamo_resume_in_attend_at_41";
  CHECK(FingerprintOf(other) == FingerprintOf(cause));
}

TEST_CASE("all wordings of a break share its registry id", "[rules]") {
  Cause older = BreakCause();
  Cause newer = BreakCause();
  newer.gb = "GB0059";
  newer.type = "Failed to trace builtin operator";
  CHECK(Fingerprint(IdentityOf(older, "GB0059")) == Fingerprint(IdentityOf(newer, "GB0059")));
  CHECK(FingerprintOf(older) != FingerprintOf(newer));
  CHECK(IdentityOf(newer, {}).type == "GB0059");
}

TEST_CASE("an exception is identified by the name of its class", "[rules]") {
  Cause bare;
  bare.kind = CauseKind::kCompileError;
  bare.type = "BackendCompilerFailed";
  Cause dotted = bare;
  dotted.type = "torch._dynamo.exc.BackendCompilerFailed";
  CHECK(FingerprintOf(bare) == FingerprintOf(dotted));
}

TEST_CASE("different causes have different fingerprints", "[rules]") {
  const Cause cause = SizeCause();
  Cause other = cause;
  SECTION("by kind") { other.kind = CauseKind::kConstraintViolation; }
  SECTION("by function") { other.where.function = "backward"; }
  SECTION("by running number of a name") { other.where.function = "forward_2"; }
  SECTION("by file") { other.where.file = "/w/other.py"; }
  SECTION("by source") { other.culprit->source = "L['y']"; }
  SECTION("by dim") { other.culprit->dim = 1; }
  SECTION("by class") { other.culprit->guard_class = GuardClass::kStride; }
  SECTION("by type") { other.type = "ValueError"; }
  SECTION("by why") { other.why = "loop-break"; }
  SECTION("by action") { other.action = "skip"; }
  CHECK(FingerprintOf(other) != FingerprintOf(cause));
}

TEST_CASE("two places of one kind in one function share a fingerprint", "[rules]") {
  Cause first = BreakCause();
  Cause second = BreakCause();
  second.user.line = 44;
  CHECK(FingerprintOf(first) == FingerprintOf(second));
}

TEST_CASE("the hint is part of the identity only if it is the finding itself", "[rules]") {
  Cause plain = SizeCause();
  Cause hinted = SizeCause();
  hinted.hint = "mark_unbacked";
  CHECK(FingerprintOf(plain) == FingerprintOf(hinted));
  plain.kind = hinted.kind = CauseKind::kPerfHint;
  CHECK(FingerprintOf(plain) != FingerprintOf(hinted));
}

TEST_CASE("a finding about the log itself is identified by its counter", "[rules]") {
  CHECK(IdentityOfStat("record_cut").kind == "log");
  CHECK(Fingerprint(IdentityOfStat("record_cut")) !=
        Fingerprint(IdentityOfStat("record_too_long")));
}

}  // namespace
}  // namespace shapewise
