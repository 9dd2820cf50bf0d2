// Histories, policies and back-tests from the text of logs, as a program prints it.

#include "dynamo/run_function.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include "support/catch.h"

#include "ingest/reader.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

using Functions = std::vector<std::unique_ptr<RunFunction>>;
using Recorded = std::vector<std::unique_ptr<RecordedFunction>>;

/// The lines of a log of PyTorch 2.13.
class Log {
 public:
  /// A recompile record: "0/1" failed for `reasons`.
  Log& Miss(const std::string& id, const std::string& function,
            const std::vector<std::string>& reasons) {
    Line(id, "[__recompiles] Recompiling function " + function + " in /app/model.py:7");
    Line(id, "[__recompiles]     triggered by the following guard failure(s):");
    for (const std::string& reason : reasons) Line(id, "[__recompiles]     - " + reason);
    return *this;
  }

  Log& Limit(const std::string& id, const std::string& function, const std::string& limit,
             const std::string& reason) {
    Line(id, "torch._dynamo hit config." + limit);
    Line(id, "   function: '" + function + "' (/app/model.py:7)");
    Line(id, "   last reason: " + reason);
    Line(id, "To log all recompilation reasons, use TORCH_LOGS=\"recompiles\".");
    return *this;
  }

  Log& Symbol(const std::string& id, const std::string& text) {
    return Line(id, "create_symbol " + text +
                        " [2, int_oo] return x * 2  # app/model.py:9 in pool "
                        "(_dynamo/variables/builder.py:4960 in <lambda>)");
  }

  Functions Read(const Recorded& recorded = {}) const {
    Session session;
    ReadInputFromChunks("run.log", {text_}, session, {.guard_texts = true});
    return FunctionsOfRun(session, recorded);
  }

 private:
  Log& Line(const std::string& id, const std::string& text) {
    text_ +=
        "V1121 03:51:35.055000 12265 torch/_dynamo/guards.py:5396] [" + id + "] " + text + "\n";
    return *this;
  }

  std::string text_;
};

std::string SizeMiss(const std::string& entry, const std::string& source, int dim, int expected,
                     int actual) {
  return entry + ": tensor '" + source + "' size mismatch at index " + std::to_string(dim) +
         ". expected " + std::to_string(expected) + ", actual " + std::to_string(actual);
}

/// The calls of one function, put down by hand.
class Calls {
 public:
  explicit Calls(const std::string& function) : function_(std::make_unique<RecordedFunction>()) {
    function_->function = function;
    builder_ = std::make_unique<CallHistoryBuilder>(function_->history);
  }

  Calls& Tensor(const std::string& name, const std::vector<int64_t>& sizes) {
    TensorValue tensor;
    tensor.sizes = sizes;
    tensor.strides = ContiguousStrides(sizes);
    builder_->SetTensor(builder_->Source(CallHistoryBuilder::kNoParent, DynamoSource(name)),
                        tensor);
    return *this;
  }
  Calls& Int(const std::string& name, int64_t integer) {
    CallValue value;
    value.kind = CallValue::Kind::kInt;
    value.integer = integer;
    builder_->Set(builder_->Source(CallHistoryBuilder::kNoParent, DynamoSource(name)), value);
    return *this;
  }
  Calls& Float(const std::string& name, double number) {
    CallValue value;
    value.kind = CallValue::Kind::kFloat;
    value.number = number;
    builder_->Set(builder_->Source(CallHistoryBuilder::kNoParent, DynamoSource(name)), value);
    return *this;
  }
  Calls& End(const std::string& state = "") {
    builder_->EndCall(RecordedCall(), builder_->strings().Intern(state));
    return *this;
  }
  /// One call for each size of a vector x.
  Calls& Vectors(const std::vector<int64_t>& sizes) {
    for (const int64_t size : sizes) Tensor("x", {size}).End();
    return *this;
  }

  Recorded Take() {
    builder_->Finish();
    Recorded recorded;
    recorded.push_back(std::move(function_));
    return recorded;
  }

 private:
  std::unique_ptr<RecordedFunction> function_;
  std::unique_ptr<CallHistoryBuilder> builder_;
};

/// What `source` holds in each call: "4x16", "3", "'sum'", "opaque".
std::vector<std::string> ValuesOf(const RunFunction& function, std::string_view source) {
  const CallHistory& history = function.history;
  std::vector<std::string> values;
  size_t index = 0;
  while (index < history.sources.size() && history.strings.text(history.sources[index]) != source) {
    ++index;
  }
  for (const RecordedCall& call : history.calls) {
    const CallSignature& signature = history.signatures[call.signature];
    std::string text = "absent";
    if (index < signature.values.size()) {
      const CallValue& value = signature.values[index];
      switch (value.kind) {
        case CallValue::Kind::kTensor:
          text.clear();
          for (const int64_t size : history.tensors[value.tensor].sizes) {
            text += (text.empty() ? "" : "x") + std::to_string(size);
          }
          break;
        case CallValue::Kind::kInt:
        case CallValue::Kind::kLength:
          text = std::to_string(value.integer);
          break;
        case CallValue::Kind::kStr:
          text = "'" + std::string(history.strings.text(value.text)) + "'";
          break;
        case CallValue::Kind::kNone:
          text = "None";
          break;
        default:
          text = "opaque";
      }
    }
    values.push_back(text);
  }
  return values;
}

std::vector<std::string> StatesOf(const RunFunction& function) {
  std::vector<std::string> states;
  for (const RecordedCall& call : function.history.calls) {
    states.emplace_back(
        function.history.strings.text(function.history.signatures[call.signature].state));
  }
  return states;
}

using Texts = std::vector<std::string>;

TEST_CASE("Each miss gives its own values and those of earlier entries") {
  const Functions functions =
      Log()
          .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("0/2", "pool",
                {"0/1: 2 <= x.size()[0]  # x.sum()  # app/model.py:9 in pool "
                 "(user code shown is first use of this value--the guard itself is "
                 "not due user code but due to 0/1 specialization in the "
                 "framework)",
                 SizeMiss("0/0", "x", 0, 4, 1)})
          .Read();
  REQUIRE(functions.size() == 1);
  const RunFunction& pool = *functions[0];
  CHECK(pool.where.function == "pool");
  CHECK(pool.where.line == 7);
  CHECK(pool.frame == 0);
  CHECK(ValuesOf(pool, "L['x']") == Texts{"4", "6", "1"});
  CHECK(pool.history.is_lower_bound);
  CHECK(pool.origin == HistoryOrigin::kMisses);
  CHECK(pool.policy == CompilePolicy());
  CHECK(pool.logged.is_reported);
  CHECK(pool.logged.graphs == 3);
  CHECK(pool.logged.limit_hits == 0);
}

TEST_CASE("A dim that no miss names is the same in all calls, and no size seen elsewhere") {
  const Functions functions = Log().Miss("0/1", "pool", {SizeMiss("0/0", "x", 2, 4, 6)}).Read();
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"10007x10008x4", "10007x10008x6"});
}

TEST_CASE("Plain values: the expected one is known; the actual one may become known later") {
  const Functions functions =
      Log()
          .Miss("0/1", "step", {"0/0: self.mode == 'sum'  # if self.mode:"})
          .Miss("0/2", "step", {"0/1: self.mode == 'mul'", "0/0: self.mode == 'sum'"})
          .Miss("0/3", "step",
                {"0/2: opt is None", "0/1: self.mode == 'mul'", "0/0: self.mode == 'sum'"})
          .Read();
  // For the third call the log only shows that its mode is neither of them; the fourth differs in
  // opt.
  CHECK(ValuesOf(*functions[0], "L['self'].mode") == Texts{"'sum'", "'mul'", "opaque", "opaque"});
  CHECK(ValuesOf(*functions[0], "L['opt']") == Texts{"None", "None", "None", "opaque"});
}

TEST_CASE("Words of the global state switch it to and fro") {
  const Functions functions =
      Log()
          .Miss("0/1", "step", {"0/0: GLOBAL_STATE changed: grad_mode "})
          .Miss("0/2", "step",
                {"0/1: GLOBAL_STATE changed: grad_mode num_threads ",
                 "0/0: GLOBAL_STATE changed: num_threads "})
          // The state is asked first: an entry that fails elsewhere was made under this one.
          .Miss(
              "0/3", "step",
              {"0/2: GLOBAL_STATE changed: grad_mode num_threads ", SizeMiss("0/1", "x", 0, 4, 6)})
          .Read();
  CHECK(StatesOf(*functions[0]) == Texts{"", "grad_mode", "num_threads", "grad_mode"});
}

TEST_CASE("dynamic=False follows from an entry that is static in what had varied before it") {
  const auto misses = [](const std::string& last) {
    return Log()
        .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
        .Miss("0/2", "pool", {last, SizeMiss("0/0", "x", 0, 4, 8)})
        .Read();
  };
  CHECK(misses(SizeMiss("0/1", "x", 0, 6, 8))[0]->policy.dynamic == DynamicOption::kFalse);
  // Another dim: the second entry may well be dynamic in the first one.
  CHECK(misses(SizeMiss("0/1", "x", 1, 5, 8))[0]->policy.dynamic == DynamicOption::kNone);
  // Something is symbolic in the function, so the one dim is static for a reason of its own.
  CHECK(misses("0/1: y.size()[0] <= 64  # if len(y) > 64:")[0]->policy.dynamic ==
        DynamicOption::kNone);
}

TEST_CASE("dynamic=True follows from symbols in the first entry") {
  Log log;
  log.Symbol("0/0", "s77 = 4 for L['x'].size()[0]");
  log.Miss("0/1", "pool", {"0/0: 2 <= x.size()[0]  # x.sum()"});
  CHECK(log.Read()[0]->policy.dynamic == DynamicOption::kTrue);
  CHECK(ValuesOf(*log.Read()[0], "L['x']") == Texts{"4", "1"});
}

TEST_CASE("Symbols in the first entry after a reset come from the profile that was kept") {
  Log log;
  log.Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)});
  log.Symbol("0/1", "s77 = 6 for L['x'].size()[0]");
  log.Symbol("0/0", "s77 = 5 for L['x'].size()[0]");
  const Functions functions = log.Read();
  REQUIRE(functions.size() == 2);
  CHECK(functions[1]->where.function == "pool");
  CHECK(functions[1]->policy.dynamic == DynamicOption::kNone);
  CHECK(functions[1]->policy.dynamic_sources == "L['x']:0");
}

TEST_CASE("Limits are those that the warning names") {
  const Functions plain = Log()
                              .Miss("0/1", "pool", {"0/0: n == 1"})
                              .Miss("0/2", "pool", {"0/1: n == 2", "0/0: n == 1"})
                              .Limit("0/2", "pool", "recompile_limit (2)", "0/1: n == 2")
                              .Read();
  CHECK(plain[0]->policy.recompile_limit == 2);
  CHECK(plain[0]->logged.graphs == 2);
  CHECK(plain[0]->logged.limit_hits == 1);
  CHECK(plain[0]->logged.is_eager_at_end);
  const Functions accumulated =
      Log().Limit("0/16", "pool", "accumulated_recompile_limit (16)", "0/15: n == 2").Read();
  CHECK(accumulated[0]->policy.accumulated_recompile_limit == 16);
  CHECK(accumulated[0]->policy.recompile_limit == 16);
  CHECK(accumulated[0]->logged.graphs == 16);
}

TEST_CASE("Misses that ask only some of the entries belong to an isolated wrapper") {
  const Functions functions =
      Log()
          .Miss("0/2", "pool", {SizeMiss("0/0", "x", 0, 2, 3)})
          .Miss("0/3", "pool", {SizeMiss("0/1", "x", 0, 2, 3)})
          .Miss("0/4", "pool", {SizeMiss("0/3", "x", 0, 3, 4), SizeMiss("0/1", "x", 0, 2, 4)})
          .Read();
  CHECK(functions[0]->policy.isolate_recompiles);
  std::vector<uint16_t> wrappers;
  for (const RecordedCall& call : functions[0]->history.calls) wrappers.push_back(call.wrapper);
  CHECK(wrappers == std::vector<uint16_t>{0, 1, 0, 1, 1});
}

TEST_CASE("After a reset ids begin again, and so does the function") {
  const Functions functions = Log()
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 3, 5)})
                                  .Read();
  REQUIRE(functions.size() == 2);
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"4", "6"});
  CHECK(ValuesOf(*functions[1], "L['x']") == Texts{"3", "5"});
}

TEST_CASE("A reset behind the last logged compile: exact where its place does not matter") {
  // Another function with the number proves the reset.
  const Log log = Log()
                      .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                      .Miss("0/1", "norm", {SizeMiss("0/0", "x", 0, 3, 5)});
  const auto row_of = [&](const std::vector<int64_t>& sizes) {
    const BackTestReport report = BackTestFunctions(log.Read(Calls("pool").Vectors(sizes).Take()));
    REQUIRE(report.rows.size() == 2);
    CHECK(report.rows[1].why.find("reset") == std::string::npos);
    return report.rows[0];
  };
  // The last call hits without a reset before it, and compiles behind one.
  const BackTestRow open = row_of({4, 6, 4});
  CHECK(open.verdict == BackTestVerdict::kUnmodelled);
  CHECK(!open.predicted_compiles);
  CHECK(open.why.find("2 compiles or up to 3: torch._dynamo.reset()") == 0);
  // With one call fewer before the reset, there were fewer compiles than logged.
  const BackTestRow certain = row_of({4, 6});
  CHECK(certain.verdict == BackTestVerdict::kEqual);
  CHECK(certain.predicted_compiles == 2U);
}

TEST_CASE("A huge compile id takes no memory") {
  const Functions functions =
      Log().Miss("0/4294967295", "pool", {SizeMiss("0/4294967294", "x", 0, 4, 6)}).Read();
  REQUIRE(functions.size() == 1);
  CHECK(functions[0]->history.calls.size() <= 65540);
}

TEST_CASE("Recorded calls take the place of what the log contains them") {
  const Log log = Log().Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)});
  const Functions functions = log.Read(Calls("Net.forward").Vectors({4, 4, 6, 8, 4}).Take());
  REQUIRE(functions.size() == 1);
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"4", "4", "6", "8", "4"});
  CHECK(functions[0]->origin == HistoryOrigin::kCalls);
  CHECK(!functions[0]->history.is_lower_bound);
  CHECK(functions[0]->unmodelled.empty());
}

TEST_CASE("Values without a record come from the log, at the call that missed") {
  const Log log =
      Log()
          .Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("0/2", "forward",
                {"0/1: GLOBAL_STATE changed: grad_mode ", "0/0: GLOBAL_STATE changed: grad_mode "});
  const Functions functions = log.Read(Calls("forward").Vectors({4, 4, 6, 9, 6}).Take());
  CHECK(functions[0]->unmodelled.empty());
  // The first call that can be the second miss; a later one may have been it.
  CHECK(StatesOf(*functions[0]) == Texts{"", "", "", "grad_mode", ""});
}

TEST_CASE("A guard on the type of what is recorded finds its call by the record's own value") {
  const Log log = Log()
                      .Miss("0/1", "steps", {"0/0: n == 1"})
                      .Miss("0/2", "steps",
                            {"0/1: ___check_type_id(n, 1405), type=<class 'int'>", "0/0: n == 1"});
  Calls calls("steps");
  for (const int64_t n : {1, 2, 3}) calls.Int("n", n).End();
  for (const double n : {2.5, 3.5}) calls.Float("n", n).End();
  const Functions functions = log.Read(calls.Int("n", 7).End().Take());
  CHECK(functions[0]->history.sources.size() == 1);  // the record is complete
  const BackTestReport report = BackTestFunctions(functions);
  CHECK(report.rows[0].predicted_compiles == 3U);
  CHECK(report.rows[0].verdict == BackTestVerdict::kEqual);
}

TEST_CASE("Records that contradict the log are not replayed") {
  const Log log = Log()
                      .Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)})
                      .Miss("0/2", "forward", {"0/1: self.mode == 1", "0/0: self.mode == 1"});
  const Functions functions = log.Read(Calls("forward").Vectors({4, 5, 5}).Take());
  CHECK(functions[0]->unmodelled == "no recorded call matches the log of its compile 1");
}

TEST_CASE("A recorded function that is not in the log comes last") {
  const Log log = Log().Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)});
  const Functions functions = log.Read(Calls("other").Vectors({4, 5}).Take());
  REQUIRE(functions.size() == 2);
  CHECK(functions[1]->where.function == "other");
  CHECK(!functions[1]->logged.is_reported);
}

TEST_CASE("A reset lies before the one recorded call that can begin the later stretch") {
  const Functions functions = Log()
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 3, 5)})
                                  .Read(Calls("pool").Vectors({4, 6, 8, 3, 5, 9}).Take());
  REQUIRE(functions.size() == 2);
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"4", "6", "8"});
  CHECK(ValuesOf(*functions[1], "L['x']") == Texts{"3", "5", "9"});
  CHECK(functions[0]->assumed.empty());
  CHECK(BackTestFunctions(functions).equal == 2);
}

TEST_CASE("Two stretches that one process can't have made are those of two processes") {
  // No call with a size of 4 comes after the one with 6, so these are records of both processes.
  Log log;
  log.Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)});
  log.Symbol("0/1", "s77 = 6 for L['x'].size()[0]");
  log.Symbol("0/0", "s77 = 4 for L['x'].size()[0]");  // the second one keeps the profile
  const BackTestReport report =
      BackTestFunctions(log.Read(Calls("pool").Vectors({4, 6, 8}).Take()));
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].predicted_compiles == 2U);
  CHECK(report.rows[1].predicted_compiles == 1U);
  for (const BackTestRow& row : report.rows) {
    CHECK(row.verdict == BackTestVerdict::kEqual);
    CHECK(row.calls == 3);
    CHECK(row.assumed.find("two processes") != std::string::npos);
  }
}

TEST_CASE("Records of one of two processes are not laid on the one that began otherwise") {
  const Functions functions = Log()
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                                  .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 3, 5)})
                                  .Read(Calls("pool").Vectors({4, 6, 8}).Take());
  REQUIRE(functions.size() == 2);
  CHECK(functions[0]->origin == HistoryOrigin::kCalls);
  CHECK(functions[0]->assumed.empty());
  CHECK(functions[1]->origin == HistoryOrigin::kMisses);
  CHECK(functions[1]->unmodelled.find("another process") != std::string::npos);
}

TEST_CASE("A replay that is not what the log says may be of another process") {
  const Log log = Log()
                      .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                      .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)});
  const BackTestReport report =
      BackTestFunctions(log.Read(Calls("pool").Vectors({4, 6, 1}).Take()));
  REQUIRE(report.rows.size() == 2);
  for (const BackTestRow& row : report.rows) {
    CHECK(row.verdict == BackTestVerdict::kUnmodelled);
    CHECK(row.why.find("another process") != std::string::npos);
  }
}

TEST_CASE("Two stretches that a reset or a second process can have made are not paired") {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{4, 6, 4, 6}, std::vector<int64_t>{4, 6, 4, 4, 6}}) {
    const Functions functions = Log()
                                    .Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)})
                                    .Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)})
                                    .Read(Calls("forward").Vectors(sizes).Take());
    REQUIRE(functions.size() == 2);
    CHECK(functions[0]->origin == HistoryOrigin::kMisses);
    CHECK(!functions[0]->unmodelled.empty());
  }
}

TEST_CASE("Calls under a state in which a function never compiled did not reach its code") {
  const auto recorded = [](const std::vector<int64_t>& without_grad) {
    Calls calls("forward");
    calls.Vectors({4, 6, 8});
    for (const int64_t size : without_grad) calls.Tensor("x", {size}).End("grad=off");
    return calls.Take();
  };
  const Log log = Log().Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)});
  const Functions functions = log.Read(recorded({5, 7}));
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"4", "6", "8"});
  CHECK(functions[0]->assumed.find("2 calls that were recorded under another") == 0);
  CHECK(BackTestFunctions(functions).rows[0].verdict == BackTestVerdict::kEqual);
  // Calls under either state can be the compiles: nothing is left out.
  CHECK(log.Read(recorded({4, 6}))[0]->history.calls.size() == 5);
  // The log contains a compile under another state.
  const Log other =
      Log()
          .Miss("0/1", "forward", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("0/2", "forward",
                {"0/1: GLOBAL_STATE changed: grad_mode ", "0/0: GLOBAL_STATE changed: grad_mode "});
  CHECK(other.Read(recorded({5, 7}))[0]->history.calls.size() == 5);
  // The reason of a miss that only a limit reports is unknown.
  const Log limit = Log().Limit("0/2", "forward", "recompile_limit (2)", "");
  CHECK(limit.Read(recorded({5, 7}))[0]->history.calls.size() == 5);
}

TEST_CASE("A limit without reasons: misses that are known of and nothing more") {
  const Log log = Log().Limit("0/8", "pool", "recompile_limit (8)", "0/7: fn.n == 7");
  const Functions alone = log.Read();
  CHECK(alone[0]->logged.graphs == 8);
  CHECK(alone[0]->unexplained_misses == 7);
  const Functions recorded = log.Read(Calls("pool").Vectors(std::vector<int64_t>(11, 4)).Take());
  const BackTestReport report = BackTestFunctions(recorded);
  CHECK(report.rows[0].predicted_compiles == 8U);
  CHECK(report.rows[0].predicted_limit_hits == 1);
  CHECK(report.rows[0].verdict == BackTestVerdict::kEqual);
  CHECK(!report.rows[0].assumed.empty());
}

TEST_CASE("A miss without a reason that the records explain needs no other explanation") {
  // A quiet log: only the id shows the second compile.
  const Functions functions = Log()
                                  .Limit("0/1", "pool", "recompile_limit (1)", "")
                                  .Read(Calls("pool").Vectors({4, 6, 8}).Take());
  CHECK(functions[0]->unexplained_misses == 0);
}

TEST_CASE("Misses without a reason are laid on calls that are unlike all before, in order") {
  Log log;
  for (int id = 1; id <= 3; ++id) log.Miss("0/" + std::to_string(id), "pool", {"0/0: "});
  // Calls 0, 2 and 4 are new. No later call is, so that nothing explains the last miss.
  const Functions functions = log.Read(Calls("pool").Vectors({3, 3, 5, 3, 7, 5, 3, 7}).Take());
  REQUIRE(functions.size() == 1);
  CHECK(functions[0]->history.calls.size() == 8);
  CHECK(functions[0]->unexplained_misses == 1);
}

TEST_CASE("An argument that only guards behind a graph break name is not read before it") {
  const Log log =
      Log()
          .Miss("0/1", "step", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("1/1", "torch_dynamo_resume_in_step_at_9", {SizeMiss("1/0", "tokens", 0, 7, 8)});
  Calls calls("step");
  calls.Tensor("x", {4}).Tensor("tokens", {7}).End();
  calls.Tensor("x", {4}).Tensor("tokens", {8}).End();
  calls.Tensor("x", {6}).Tensor("tokens", {8}).End();
  const BackTestReport report = BackTestFunctions(log.Read(calls.Take()));
  REQUIRE(report.rows.size() == 2);
  CHECK(report.rows[0].predicted_compiles == 2U);
  CHECK(report.equal == 2);
}

TEST_CASE("The back-test says equal, and what it took for granted") {
  const Log log = Log().Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)});
  const BackTestReport report =
      BackTestFunctions(log.Read(Calls("pool").Vectors({4, 6, 8, 4}).Take()));
  REQUIRE(report.rows.size() == 1);
  CHECK(report.rows[0].verdict == BackTestVerdict::kEqual);
  CHECK(report.rows[0].predicted_compiles == 2U);
  CHECK(report.rows[0].calls == 4);
  CHECK(report.equal == 1);
}

TEST_CASE("Failed guards show comparisons of the body, and the row says that others are unknown") {
  const Log log =
      Log()
          .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("0/2", "pool",
                {"0/1: 2 <= x.size()[0] <= 7  # if len(x) > 7:", SizeMiss("0/0", "x", 0, 4, 8)});
  const BackTestReport report =
      BackTestFunctions(log.Read(Calls("pool").Vectors({4, 6, 8, 5, 9}).Take()));
  CHECK(report.rows[0].verdict == BackTestVerdict::kEqual);
  CHECK(report.rows[0].predicted_compiles == 3U);
  CHECK(report.rows[0].assumed.find("nothing else") != std::string::npos);
}

TEST_CASE("The back-test says differs, with a reason, where calls do not explain the log") {
  // A third graph that neither sizes nor the failed guard ask for: y was never recorded.
  const Log log =
      Log()
          .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
          .Miss("0/2", "pool",
                {"0/1: y.size()[0] % 8 == 0  # if len(y) % 8:", SizeMiss("0/0", "x", 0, 4, 8)});
  const BackTestReport report =
      BackTestFunctions(log.Read(Calls("pool").Vectors({4, 6, 8}).Take()));
  CHECK(report.rows[0].logged_compiles == 3U);
  CHECK(report.rows[0].predicted_compiles == 2U);
  CHECK(report.rows[0].verdict == BackTestVerdict::kDiffers);
  CHECK(report.rows[0].why.find("y.size()[0] % 8") != std::string::npos);
  CHECK(report.differs == 1);
}

TEST_CASE("Ranks in one file are distinguished") {
  const std::string head = "V1121 03:51:35.055000 12265 torch/_dynamo/guards.py:5396] [0/1] ";
  std::string text;
  for (const int rank : {0, 1}) {
    const std::string prefix = "[rank" + std::to_string(rank) + "]:" + head + "[__recompiles] ";
    text += prefix + "Recompiling function pool in /app/model.py:7\n";
    text += prefix + "    triggered by the following guard failure(s):\n";
    text += prefix + "    - " + SizeMiss("0/0", "x", 0, 4, 5 + rank) + "\n";
  }
  Session session;
  ReadInputFromChunks("run.log", {text}, session, {.guard_texts = true});
  const Functions functions = FunctionsOfRun(session);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0]->rank == 0);
  CHECK(ValuesOf(*functions[0], "L['x']") == Texts{"4", "5"});
  CHECK(functions[1]->rank == 1);
  CHECK(ValuesOf(*functions[1], "L['x']") == Texts{"4", "6"});
}

TEST_CASE("The back-test of misses alone is a lower bound if a value is not logged") {
  const Log log = Log()
                      .Miss("0/1", "pool", {SizeMiss("0/0", "x", 0, 4, 6)})
                      .Miss("0/2", "pool",
                            {"0/1: y.size()[0] % 8 == 0  # if y:", SizeMiss("0/0", "x", 0, 4, 6)});
  const BackTestReport report = BackTestFunctions(log.Read());
  CHECK(report.rows[0].is_lower_bound);
  CHECK(report.rows[0].predicted_compiles == 2U);
  CHECK(report.rows[0].verdict == BackTestVerdict::kLowerBound);
}

}  // namespace
}  // namespace shapewise
