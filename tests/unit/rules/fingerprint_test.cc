#include "rules/fingerprint.h"

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

TEST_CASE("a fingerprint is 16 hex digits that no release may change", "[rules]") {
  const std::string fingerprint = Fingerprint("SWS001", SizeCause());
  CHECK(fingerprint.size() == 16);
  CHECK(std::ranges::all_of(fingerprint, [](char c) { return llvm::isHexDigit(c); }));
  CHECK(fingerprint == "2023d0c1be8fbbb0");
}

TEST_CASE("a fingerprint stays when lines and folders shift", "[rules]") {
  const Cause cause = SizeCause();
  Cause moved = cause;
  moved.where.file = "C:\\other\\model.py";
  moved.where.line = 99;
  moved.user.line = 7;
  moved.count = 12;
  moved.values = {"4", "5"};
  moved.events = {3, 4};
  CHECK(Fingerprint("SWS001", moved) == Fingerprint("SWS001", cause));
}

TEST_CASE("a fingerprint tells causes apart", "[rules]") {
  const Cause cause = SizeCause();
  Cause other = cause;
  SECTION("by function") { other.where.function = "backward"; }
  SECTION("by file") { other.where.file = "/w/other.py"; }
  SECTION("by user function") { other.user.function = "attend"; }
  SECTION("by source") { other.culprit->source = "L['y']"; }
  SECTION("by dim") { other.culprit->dim = 1; }
  SECTION("by class") { other.culprit->guard_class = GuardClass::kStride; }
  SECTION("by registry id") { other.gb = "GB0059"; }
  SECTION("by type") { other.type = "ValueError"; }
  SECTION("by why") { other.why = "loop-break"; }
  SECTION("by action") { other.action = "skip"; }
  CHECK(Fingerprint("SWS001", other) != Fingerprint("SWS001", cause));
  CHECK(Fingerprint("SWS002", cause) != Fingerprint("SWS001", cause));
}

TEST_CASE("lines, addresses and object ids within texts do not count", "[rules]") {
  const auto [before, after] = GENERATE(table<std::string, std::string>({
      {"torch_dynamo_resume_in_forward_at_42", "torch_dynamo_resume_in_forward_at_57"},
      {"<resume in forward at 42>", "<resume in forward at 7>"},
      {"<f at 0x7f12ab>", "<f at 0x99>"},
      {"File \"t.py\", line 7", "File \"t.py\", line 81"},
      {"object 139904215237456", "object 140904215237999"},
  }));
  Cause cause = SizeCause();
  cause.where.function = before;
  Cause later = SizeCause();
  later.where.function = after;
  CHECK(Fingerprint("SWB001", cause) == Fingerprint("SWB001", later));
}

TEST_CASE("numbers that belong to a name do count", "[rules]") {
  Cause first = SizeCause();
  first.where.function = "layer_1";
  Cause second = SizeCause();
  second.where.function = "layer_2";
  CHECK(Fingerprint("SWB001", first) != Fingerprint("SWB001", second));
}

TEST_CASE("the hint counts only where it is the finding itself", "[rules]") {
  Cause plain = SizeCause();
  Cause hinted = SizeCause();
  hinted.hint = "mark_unbacked";
  CHECK(Fingerprint("SWS001", plain) == Fingerprint("SWS001", hinted));
  plain.kind = hinted.kind = CauseKind::kPerfHint;
  CHECK(Fingerprint("SWD001", plain) != Fingerprint("SWD001", hinted));
}

}  // namespace
}  // namespace shapewise
