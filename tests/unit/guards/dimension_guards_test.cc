// Functions with all of their entries: from what a session holds to verdicts.

#include "guards/dimension_guards.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

/// Builds a session that holds printed guards.
class Run {
 public:
  PrintedGuards Entry(const std::string& id) {
    PrintedGuards printed;
    printed.line = ++line_;
    printed.compile_id = Intern(id);
    printed.function = Intern("f");
    printed.file = Intern("/srv/m.py");
    printed.function_line = 3;
    printed.guards.leaves = 1;
    printed.guard_texts.is_printed = true;
    return printed;
  }
  void AddTensor(PrintedGuards& entry, const std::string& source, const std::string& sizes) {
    ShapeGuard guard;
    guard.kind = ShapeGuard::Kind::kTensor;
    guard.source = Intern(source);
    guard.text = Intern(sizes);
    guard.stride = Intern("[3, 1]");
    guard.properties = Intern("Tensor, torch.float32");
    guard.user_file = Intern("srv/m.py");
    guard.user_line = 4;
    entry.guard_texts.shape.push_back(guard);
  }
  void AddRelation(PrintedGuards& entry, const std::string& text) {
    ShapeGuard guard;
    guard.kind = ShapeGuard::Kind::kRelation;
    guard.text = Intern(text);
    guard.user_file = Intern("srv/m.py");
    guard.user_line = 5;
    entry.guard_texts.shape.push_back(guard);
  }
  void AddValue(PrintedGuards& entry, const std::string& source, const std::string& value) {
    ShapeGuard guard;
    guard.kind = ShapeGuard::Kind::kValue;
    guard.source = Intern(source);
    guard.text = Intern(value);
    entry.guard_texts.shape.push_back(guard);
  }
  void AddSymbol(PrintedGuards& entry, const std::string& source, const std::string& value) {
    SymbolFact fact;
    fact.symbol = Intern("s" + std::to_string(entry.symbols.size()));
    fact.source = Intern(source);
    fact.value = Intern(value);
    entry.symbols.push_back(fact);
  }
  void AddFact(PrintedGuards& entry, SymbolFact::Kind kind, const std::string& symbol,
               const std::string& text) {
    SymbolFact fact;
    fact.kind = kind;
    fact.symbol = Intern(symbol);
    (kind == SymbolFact::Kind::kGuardAdded ? fact.expr : fact.value) = Intern(text);
    fact.user_file = Intern("srv/m.py");
    fact.user_line = 9;
    entry.symbols.push_back(fact);
  }
  void Add(const PrintedGuards& entry) { session_.AddPrintedGuards(entry); }
  StrId Intern(const std::string& text) { return session_.strings().Intern(text); }
  Session& session() { return session_; }

 private:
  Session session_;
  uint64_t line_ = 0;
};

const GuardedVariable& Find(const FunctionGuards& function, const std::string& name) {
  const auto found = std::ranges::find(function.variables, name, &GuardedVariable::name);
  REQUIRE(found != function.variables.end());
  return *found;
}

TEST_CASE("a dim that becomes a symbol at its second value is free", "[guards]") {
  Run run;
  PrintedGuards first = run.Entry("0/0");
  run.AddTensor(first, "L['x']", "[4, 3]");
  PrintedGuards second = run.Entry("0/1");
  run.AddTensor(second, "L['x']", "[None, 3]");
  run.AddRelation(second, "2 <= L['x'].size()[0]");
  run.AddSymbol(second, "L['x'].size()[0]", "5");
  run.Add(first);
  run.Add(second);
  const auto functions = AnalyzeGuards(run.session(), {});
  REQUIRE(functions.size() == 1);
  const GuardedVariable& rows = Find(functions[0], "x.size()[0]");
  CHECK(rows.source == "L['x']");
  CHECK(rows.dim == 0);
  CHECK(rows.verdict.verdict == SizeVerdict::kFree);
  CHECK(rows.values == std::vector<int64_t>{4, 5});
  CHECK(rows.automatic_frees == true);
  CHECK_FALSE(rows.IsCulprit());
  // It never had another value, so no guard is to blame.
  const GuardedVariable& columns = Find(functions[0], "x.size()[1]");
  CHECK(columns.verdict.verdict == SizeVerdict::kPinned);
  CHECK_FALSE(columns.IsCulprit());
  CHECK(functions[0].entries[0].shadowed_by == std::vector<size_t>{1});
  REQUIRE(functions[0].need);
  CHECK(functions[0].need->least == 1);
  CHECK(functions[0].need->limit_at_most == 2);
}

TEST_CASE("a dim that is a constant in every entry is a culprit, with its fix", "[guards]") {
  Run run;
  for (int i = 0; i < 3; ++i) {
    PrintedGuards entry = run.Entry("0/" + std::to_string(i));
    run.AddTensor(entry, "L['x']", "[" + std::to_string(4 + i) + ", 3]");
    run.Add(entry);
  }
  const auto functions = AnalyzeGuards(run.session(), {});
  const GuardedVariable& rows = functions.at(0).variables.at(0);
  CHECK(rows.name == "x.size()[0]");
  CHECK(rows.IsCulprit());
  CHECK(rows.verdict.pinned_by == PinnedBy::kStatic);
  CHECK(rows.automatic_frees == false);
  REQUIRE_FALSE(rows.advice.empty());
  CHECK(rows.advice[0].code == "torch._dynamo.mark_dynamic(x, 0)");
  CHECK(functions[0].need->least == 3);
}

TEST_CASE("code that makes a symbol a constant is named by its line", "[guards]") {
  Run run;
  PrintedGuards first = run.Entry("0/0");
  run.AddTensor(first, "L['x']", "[4, 3]");
  PrintedGuards second = run.Entry("0/1");
  run.AddTensor(second, "L['x']", "[6, 3]");
  run.AddSymbol(second, "L['x'].size()[0]", "6");
  run.AddFact(second, SymbolFact::Kind::kGuardAdded, "", "Eq(s0, 6)");
  run.AddFact(second, SymbolFact::Kind::kSpecialized, "s0", "6");
  run.Add(first);
  run.Add(second);
  const auto functions = AnalyzeGuards(run.session(), {});
  const GuardedVariable& rows = Find(functions.at(0), "x.size()[0]");
  CHECK(rows.IsCulprit());
  CHECK(rows.verdict.pinned_by == PinnedBy::kSpecialization);
  REQUIRE(rows.verdict.because.size() == 1);
  CHECK(rows.verdict.because[0].user.file == "/srv/m.py");
  CHECK(rows.verdict.because[0].user.line == 9);
  CHECK(rows.automatic_frees == true);  // It was one; code took it back.
}

TEST_CASE("an int that is compiled for each value is a culprit", "[guards]") {
  Run run;
  for (int i = 0; i < 3; ++i) {
    PrintedGuards entry = run.Entry("0/" + std::to_string(i));
    run.AddValue(entry, "L['self'].depth", std::to_string(i));
    run.Add(entry);
  }
  const auto functions = AnalyzeGuards(run.session(), {});
  const GuardedVariable& depth = functions.at(0).variables.at(0);
  CHECK(depth.kind == GuardedKind::kInt);
  CHECK(depth.source == "L['self'].depth");
  CHECK(depth.IsCulprit());
}

TEST_CASE("sizes that are asked about are counted for", "[guards]") {
  Run run;
  PrintedGuards even = run.Entry("0/0");
  run.AddTensor(even, "L['x']", "[None, 3]");
  run.AddRelation(even, "L['x'].size()[0] % 2 == 0");
  run.AddRelation(even, "2 <= L['x'].size()[0]");
  run.Add(even);
  GuardQuery query;
  query.sizes = {{"x.size()[0]", {1, 2, 3, 4}}};
  const auto functions = AnalyzeGuards(run.session(), query);
  REQUIRE(functions.at(0).need);
  const GraphNeed& need = *functions[0].need;
  CHECK_FALSE(need.is_of_run);
  CHECK(need.served == 2);
  CHECK(need.uncovered == 2);
  CHECK(need.examples == std::vector<std::string>{"x.size()[0] = 1", "x.size()[0] = 3"});
  CHECK(need.limit_at_least == 2);
  CHECK(need.limit_at_most == 3);
}

TEST_CASE("guards that failed are partial knowledge: nothing is free by them", "[guards]") {
  Run run;
  Session& session = run.session();
  Reason reason;
  reason.entry = run.Intern("0/0");
  reason.guard_class = GuardClass::kSize;
  reason.source = run.Intern("x");
  reason.dim = 0;
  reason.expected = run.Intern("4");
  reason.actual = run.Intern("5");
  EventDetail detail;
  detail.function = run.Intern("f");
  detail.file = run.Intern("/srv/m.py");
  detail.function_line = 3;
  detail.fact = RecompileFact{{session.InternReason(reason)}};
  Event event;
  event.line = 1;
  event.compile_id = run.Intern("0/1");
  event.detail = session.InternDetail(detail);
  session.AddEvent(event);
  SECTION("one entry pins it; the next may be dynamic") {
    const auto functions = AnalyzeGuards(session, {});
    const GuardedVariable& rows = functions.at(0).variables.at(0);
    CHECK(rows.verdict.verdict == SizeVerdict::kUnknown);
    CHECK_FALSE(rows.IsCulprit());
    CHECK(rows.values == std::vector<int64_t>{4, 5});
    CHECK(functions[0].entries.size() == 2);
  }
  SECTION("two pin it to different values") {
    reason.entry = run.Intern("0/1");
    reason.expected = run.Intern("5");
    reason.actual = run.Intern("6");
    detail.fact = RecompileFact{{session.InternReason(reason)}};
    event.compile_id = run.Intern("0/2");
    event.line = 2;
    event.detail = session.InternDetail(detail);
    session.AddEvent(event);
    const auto functions = AnalyzeGuards(session, {});
    CHECK(functions.at(0).variables.at(0).IsCulprit());
  }
}

TEST_CASE("ids that begin again are those of another cache", "[guards]") {
  Run run;
  for (int stretch = 0; stretch < 2; ++stretch) {
    PrintedGuards entry = run.Entry("0/0");
    run.AddTensor(entry, "L['x']", stretch == 0 ? "[4, 3]" : "[5, 3]");
    run.Add(entry);
  }
  const auto functions = AnalyzeGuards(run.session(), {});
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].entries.size() == 1);
  CHECK(functions[1].entries.size() == 1);
}

TEST_CASE("a restarted compilation is one entry, of its last attempt", "[guards]") {
  Run run;
  PrintedGuards first = run.Entry("0/0");
  run.AddTensor(first, "L['x']", "[4, 3]");
  run.Add(first);
  PrintedGuards restarted = run.Entry("0/0_1");
  run.AddTensor(restarted, "L['x']", "[5, 3]");
  run.Add(restarted);
  const auto functions = AnalyzeGuards(run.session(), {});
  REQUIRE(functions.size() == 1);
  REQUIRE(functions[0].entries.size() == 1);
  CHECK(functions[0].entries[0].id == "0/0");
  CHECK(Find(functions[0], "x.size()[0]").values == std::vector<int64_t>{5});
}

TEST_CASE("a failed compile is not an entry, but its values are known", "[guards]") {
  Run run;
  Session& session = run.session();
  PrintedGuards entry = run.Entry("0/0");
  run.AddTensor(entry, "L['x']", "[4, 3]");
  run.Add(entry);
  Reason reason;
  reason.entry = run.Intern("0/0");
  reason.guard_class = GuardClass::kSize;
  reason.source = run.Intern("x");
  reason.dim = 0;
  reason.expected = run.Intern("4");
  reason.actual = run.Intern("5");
  EventDetail detail;
  detail.function = run.Intern("f");
  detail.file = run.Intern("/srv/m.py");
  detail.function_line = 3;
  Event event;
  event.compile_id = run.Intern("0/1");
  for (EventFact fact : {EventFact(RecompileFact{{session.InternReason(reason)}}),
                         EventFact(CompileErrorFact{.type = run.Intern("BackendError")})}) {
    detail.fact = std::move(fact);
    event.line += 10;
    event.detail = session.InternDetail(detail);
    session.AddEvent(event);
  }
  const auto functions = AnalyzeGuards(session, {});
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].entries.size() == 1);
  CHECK(Find(functions[0], "x.size()[0]").values == std::vector<int64_t>{4, 5});
}

TEST_CASE("verdicts do not depend on the order in which entries were read", "[guards]") {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    Run run;
    std::vector<PrintedGuards> entries;
    for (int i = 0; i < 5; ++i) {
      PrintedGuards entry = run.Entry("0/" + std::to_string(i));
      const bool is_static = random() % 2 == 0;
      run.AddTensor(entry, "L['x']",
                    is_static ? "[" + std::to_string(random() % 9) + ", 3]" : "[None, 3]");
      if (!is_static) {
        run.AddRelation(entry, "L['x'].size()[0] % " + std::to_string(2 + random() % 4) + " == 0");
      }
      entries.push_back(entry);
    }
    std::vector<std::string> answers;
    for (int pass = 0; pass < 2; ++pass) {
      Session session;
      session.CopyFrom(run.session());
      for (const PrintedGuards& entry : entries) session.AddPrintedGuards(entry);
      const auto functions = AnalyzeGuards(session, {});
      std::string answer;
      for (const GuardedVariable& variable : functions.at(0).variables) {
        answer += variable.name + " " + std::string(SizeVerdictName(variable.verdict.verdict)) +
                  " " + functions[0].entries[variable.entry].id + "\n";
      }
      for (const GuardedEntryReport& entry : functions[0].entries) {
        answer += entry.id + " " + std::to_string(entry.shadowed_by.size()) + "\n";
      }
      answers.push_back(answer);
      std::ranges::shuffle(entries, random);
    }
    CHECK(answers[0] == answers[1]);
  }
}

}  // namespace
}  // namespace shapewise
