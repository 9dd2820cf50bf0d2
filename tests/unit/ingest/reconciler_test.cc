// Messages are compared in one place; parsers see one message each.

#include "ingest/reconcile/reconciler.h"

#include <initializer_list>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

Record RecordOf(RecordKind kind, std::string_view compile_id,
                std::initializer_list<std::string_view> lines) {
  Stats stats;
  Record record;
  record.kind = kind;
  record.compile_id = compile_id;
  record.prefixed = !compile_id.empty();
  for (const std::string_view line : lines) record.AddLine(line, /*bare=*/false, stats);
  return record;
}

/// A session with one input, and what is added to it.
class Reconciled {
 public:
  Reconciled() { session_.AddInput("run.log"); }

  bool Add(const Record& record) {
    return reconciler_.Add(record, ParseMessage(record, session_.strings()));
  }
  void Finish() { reconciler_.Finish(/*is_of_torch=*/true); }

  size_t num_events() const { return session_.events().size(); }
  const EventDetail& detail(size_t index) const {
    return session_.detail(session_.events()[index]);
  }
  std::string_view text(StrId id) const { return session_.text(id); }
  Session& session() { return session_; }

 private:
  Session session_;
  Reconciler reconciler_{session_, 0};
};

TEST_CASE("a parser returns the facts of its message and adds nothing", "[ingest]") {
  StringPool strings;
  const Record record = RecordOf(
      RecordKind::kRecompile, "0/2",
      {"Recompiling function f in /w/t.py:4", "    - 0/1: L['n'] == 3", "    - 0/0: L['n'] == 2"});
  const ParsedMessage parsed = ParseMessage(record, strings);
  REQUIRE(parsed.facts.size() == 1);
  CHECK(strings.text(parsed.facts[0].detail.function) == "f");
  REQUIRE(parsed.facts[0].reasons.size() == 2);
  CHECK(strings.text(parsed.facts[0].reasons[0].entry) == "0/1");
  CHECK(parsed.facts[0].detail.reasons().empty());
  CHECK(parsed.damage.empty());
  // The same message has the same facts, whatever was parsed before.
  CHECK(ParseMessage(record, strings).facts[0].detail == parsed.facts[0].detail);
}

TEST_CASE("an exception that is printed again is one event", "[ingest]") {
  Reconciled run;
  const Record raised = RecordOf(RecordKind::kException, "",
                                 {"torch._dynamo.exc.Unsupported: call print", "",
                                  "from user code:", "  File \"/w/t.py\", line 5, in f"});
  CHECK(run.Add(raised));
  CHECK_FALSE(run.Add(raised));
  REQUIRE(run.num_events() == 1);
  CHECK(run.detail(0).is_fatal_break());
}

TEST_CASE("a warning and the record of its graph break are one event", "[ingest]") {
  Reconciled run;
  CHECK(run.Add(RecordOf(RecordKind::kItemWarning, "0/0",
                         {"Graph break from `Tensor.item()`, consider setting:",
                          "Graph break: from user code at:", "  File \"/w/t.py\", line 5, in f"})));
  CHECK_FALSE(run.Add(
      RecordOf(RecordKind::kGraphBreak, "0/0_1",
               {"Graph break in user code at /w/t.py:5", "Reason: Unsupported Tensor.item() call",
                "User code traceback:", "  File \"/w/t.py\", line 5, in f"})));
  REQUIRE(run.num_events() == 1);
  CHECK(run.text(run.detail(0).type()) == "Unsupported Tensor.item() call");
}

TEST_CASE("the parts of a limit make one event", "[ingest]") {
  Reconciled run;
  CHECK(run.Add(
      RecordOf(RecordKind::kLimit, "0/8", {"torch._dynamo hit config.recompile_limit (8)"})));
  CHECK_FALSE(
      run.Add(RecordOf(RecordKind::kLimit, "0/8",
                       {"   function: 'f' (/w/t.py:4)", "   last reason: 0/7: L['n'] == 3"})));
  REQUIRE(run.num_events() == 1);
  CHECK(run.text(run.detail(0).function) == "f");
  CHECK(run.detail(0).As<LimitFact>()->limit == 8);
  CHECK(run.detail(0).reasons().size() == 1);
  CHECK_FALSE(run.detail(0).cut);
}

TEST_CASE("a frame without a name has the name of its other records", "[ingest]") {
  Reconciled run;
  run.Add(RecordOf(RecordKind::kRecompile, "3/2", {"- 3/1: L['n'] == 3"}));
  run.Add(RecordOf(RecordKind::kRecompile, "3/3",
                   {"Recompiling function f in /w/t.py:4", "    - 3/2: L['n'] == 4"}));
  run.Finish();
  REQUIRE(run.num_events() == 2);
  CHECK(run.text(run.detail(0).function) == "f");
  CHECK(run.detail(0).function_line == 4);
}

}  // namespace
}  // namespace shapewise
