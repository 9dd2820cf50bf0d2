#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "fixture_rules.h"
#include "rules/conditions.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// Whether a rule over graph breaks or recompiles with these conditions is the one for `cause`.
bool HoldsFor(std::string_view where, const Cause& cause) {
  FixtureFiles files;
  files.Add(std::string(kFixtureRegistryPath), std::string(kFixtureRegistry));
  files.AddRule("special", "SWG001", CauseKindName(cause.kind), where);
  return files.Set().Match(cause) != nullptr;
}

Cause Recompile() {
  Cause cause;
  cause.where = {.function = "forward", .file = "/w/model.py", .line = 10};
  cause.culprit = Culprit{.guard_class = GuardClass::kSize, .source = "L['x']", .dim = 0};
  cause.pattern = ValuePattern::kGrowing;
  cause.count = 1;
  cause.hint = "mark_unbacked";
  return cause;
}

Cause Break() {
  Cause cause;
  cause.kind = CauseKind::kGraphBreak;
  cause.gb = "GB0124";
  cause.type = "Unsupported Tensor.item() call";
  cause.context = "call_method TensorVariable() item";
  cause.message = "the message";
  return cause;
}

TEST_CASE("class matches the guard class of the culprit", "[rules]") {
  CHECK(HoldsFor(R"({"class": ["dtype", "size"]})", Recompile()));
  CHECK_FALSE(HoldsFor(R"({"class": ["dtype"]})", Recompile()));
  CHECK_FALSE(HoldsFor(R"({"class": ["other"]})", Break()));
}

TEST_CASE("value_type matches the Python type of the culprit", "[rules]") {
  Cause cause = Recompile();
  CHECK_FALSE(HoldsFor(R"({"value_type": ["enum", "tensor"]})", cause));
  cause.culprit->value_type = PythonType::kEnum;
  CHECK(HoldsFor(R"({"value_type": ["enum", "tensor"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"value_type": ["int"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"value_type": ["enum"]})", Break()));
}

TEST_CASE("pattern matches how the values change", "[rules]") {
  CHECK(HoldsFor(R"({"pattern": ["growing"]})", Recompile()));
  CHECK_FALSE(HoldsFor(R"({"pattern": ["counter", "toggle"]})", Recompile()));
}

TEST_CASE("costly matches the engine's estimate of the cost", "[rules]") {
  Cause cause;
  cause.kind = CauseKind::kGuardCost;
  CHECK(HoldsFor(R"({"costly": false})", cause));
  cause.is_costly = true;
  CHECK(HoldsFor(R"({"costly": true})", cause));
  CHECK_FALSE(HoldsFor(R"({"costly": false})", cause));
}

TEST_CASE("limit, repeated and fatal match true and false", "[rules]") {
  Cause cause = Recompile();
  CHECK(HoldsFor(R"({"limit": false, "repeated": false, "fatal": false})", cause));
  CHECK_FALSE(HoldsFor(R"({"limit": true})", cause));
  CHECK_FALSE(HoldsFor(R"({"repeated": true})", cause));
  CHECK_FALSE(HoldsFor(R"({"fatal": true})", cause));
  cause.limit_hit = true;
  cause.count = 2;
  cause.fatal = true;
  CHECK(HoldsFor(R"({"limit": true, "repeated": true, "fatal": true})", cause));
  CHECK_FALSE(HoldsFor(R"({"limit": false})", cause));
  CHECK_FALSE(HoldsFor(R"({"repeated": false})", cause));
  CHECK_FALSE(HoldsFor(R"({"fatal": false})", cause));
}

TEST_CASE("hint matches the proposal in the log", "[rules]") {
  CHECK(HoldsFor(R"({"hint": ["tf32", "mark_unbacked"]})", Recompile()));
  CHECK_FALSE(HoldsFor(R"({"hint": ["mark"]})", Recompile()));
}

TEST_CASE("gb matches the registry id, or the type if no id is printed", "[rules]") {
  Cause cause = Break();
  CHECK(HoldsFor(R"({"gb": ["GB0059", "GB0124"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"gb": ["GB0059"]})", cause));
  cause.gb.clear();
  CHECK(HoldsFor(R"({"gb": ["GB0124"]})", cause));
  cause.type = "never heard of";
  CHECK_FALSE(HoldsFor(R"({"gb": ["GB0124"]})", cause));
  cause.gb = "GB4501";  // removed, and now GB0059
  CHECK(HoldsFor(R"({"gb": ["GB0059"]})", cause));
}

TEST_CASE("category is looked up by id, then by type", "[rules]") {
  Cause cause = Break();
  CHECK(HoldsFor(R"({"category": ["SCAL"]})", cause));
  cause.type = "Failed to trace builtin operator";
  CHECK(HoldsFor(R"({"category": ["SCAL"]})", cause));
  cause.gb = "GB9999";  // newer than the registry
  CHECK(HoldsFor(R"({"category": ["IO"]})", cause));
  cause.type = "never heard of";
  CHECK_FALSE(HoldsFor(R"({"category": ["IO", "SCAL"]})", cause));
}

TEST_CASE("a break in the wording of an earlier release has no hint", "[rules]") {
  Cause cause = Break();
  CHECK(HoldsFor(R"({"break_hint": ["U"]})", cause));
  cause.gb.clear();
  cause.type = "Tensor.item";
  CHECK(HoldsFor(R"({"category": ["SCAL"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"break_hint": ["U"]})", cause));
  cause.type = "Unsupported Tensor.item() call";
  CHECK(HoldsFor(R"({"break_hint": ["U"]})", cause));
}

TEST_CASE("conditions on sources match parts of the source", "[rules]") {
  Cause cause = Recompile();
  cause.culprit->source = "L['group']['lr']";
  CHECK(HoldsFor(R"({"source_names": ["momentum", "lr"]})", cause));
  CHECK(HoldsFor(R"({"source_names": ["group"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"source_names": ["grou"]})", cause));
  CHECK(HoldsFor(R"({"source_root": ["argument"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"source_root": ["global", "temporary"]})", cause));
  cause.culprit->source = "G['step']";
  CHECK(HoldsFor(R"({"source_root": ["global"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"source_names": ["x"]})", Break()));
  CHECK_FALSE(
      HoldsFor(R"({"source_root": ["argument", "self", "global", "temporary", "call"]})", Break()));
}

TEST_CASE("parameter matches what the log calls one, and names of weights", "[rules]") {
  Cause cause = Recompile();
  CHECK_FALSE(HoldsFor(R"({"parameter": true})", cause));
  cause.hint = "force_parameter_static_shapes";
  CHECK(HoldsFor(R"({"parameter": true})", cause));
  cause.hint.clear();
  for (const std::string_view source : {"L['self']._modules['proj']._parameters['scale']",
                                        "L['layer'].weight", "...proj...weight"}) {
    cause.culprit->source = source;
    CHECK(HoldsFor(R"({"parameter": true})", cause));
  }
  for (const std::string_view source :
       {"L['weight']", "L['self']._buffers['bias']", "L['self'].state['left']"}) {
    cause.culprit->source = source;
    CHECK(HoldsFor(R"({"parameter": false})", cause));
  }
}

TEST_CASE("model_size matches sizes of parameters, of heads, and few multiples of 8", "[rules]") {
  const std::string_view fixed = R"({"model_size": true})";
  Cause cause = Recompile();
  cause.culprit->dim = 1;
  cause.values = {"24", "32"};
  CHECK(HoldsFor(fixed, cause));
  cause.culprit->source = "L['input_ids']";
  CHECK_FALSE(HoldsFor(fixed, cause));
  cause.culprit->source = "L['x']";
  cause.values = {"24", "33"};
  CHECK_FALSE(HoldsFor(fixed, cause));
  cause.values = {"24"};
  CHECK_FALSE(HoldsFor(fixed, cause));
  cause.values = {"224", "256", "288", "320", "352"};
  CHECK_FALSE(HoldsFor(fixed, cause));
  cause.values = {"8", "12"};
  cause.where.function = "flex_attention";
  CHECK(HoldsFor(fixed, cause));
  cause.culprit->dim = 2;
  CHECK_FALSE(HoldsFor(fixed, cause));
  cause.where.function = "forward";
  cause.culprit->source = "L['self']._modules['proj']._parameters['weight']";
  CHECK(HoldsFor(fixed, cause));
  cause.culprit->source = "L['x']";
  cause.values = {"8", "16"};
  for (const int dim : {0, 2}) {
    cause.culprit->dim = dim;
    CHECK_FALSE(HoldsFor(fixed, cause));
  }
  CHECK_FALSE(HoldsFor(fixed, Break()));
}

TEST_CASE("batch_size matches dim 0 of arguments that no name calls a cache", "[rules]") {
  const auto [source, dim, is_batch] = GENERATE(table<std::string, int, bool>({
      {"L['x']", 0, true},
      {"L['batch']['pixels']", 0, true},
      {"L['x']", 1, false},
      {"L['past_keys']", 0, false},
      {"L['cache'][0]", 0, false},
      {"L['self'].rows", 0, false},
  }));
  CAPTURE(source, dim);
  Cause cause = Recompile();
  cause.culprit->source = source;
  cause.culprit->dim = dim;
  CHECK(HoldsFor(R"({"batch_size": true})", cause) == is_batch);
  CHECK_FALSE(HoldsFor(R"({"batch_size": true})", Break()));
}

TEST_CASE("conditions on a source compare the names in it", "[rules]") {
  Cause cause = Recompile();
  const auto holds = [&](std::string_view where, std::string source) {
    cause.culprit->source = std::move(source);
    return HoldsFor(where, cause);
  };
  CHECK(holds(R"({"source_has": ["cache", "past"]})", "L['past_key_value'][0]"));
  CHECK(holds(R"({"source_has": ["cache", "past"]})", "L['self'].kv_cache"));
  CHECK(holds(R"({"not_source_has": ["cache", "past"]})", "L['x']"));
  CHECK(holds(R"({"source_names": ["betas"]})", "L['self'].param_groups[0]['betas'][0]"));
  CHECK(holds(R"({"not_source_names": ["beta"]})", "L['self'].param_groups[0]['betas'][0]"));
}

TEST_CASE("loop_iterator matches the length that is left of a loop", "[rules]") {
  Cause cause = Recompile();
  cause.culprit->guard_class = GuardClass::kLength;
  cause.message = "___tuple_iterator_len(L['___stack0']) == 4";
  CHECK(HoldsFor(R"({"loop_iterator": true})", cause));
  cause.message = "len(L['___stack0']) == 4";
  CHECK(HoldsFor(R"({"loop_iterator": false})", cause));
}

TEST_CASE("conditions on errors and breaks ask for their place and their arguments", "[rules]") {
  Cause error;
  error.kind = CauseKind::kCompileError;
  error.user = {.function = "patch", .file = "/v/site-packages/tool/patch.py", .line = 3};
  CHECK(HoldsFor(R"({"raised_by_library": false})", error));  // called by the compiled function
  error.where = error.user;
  CHECK(HoldsFor(R"({"raised_by_library": true})", error));
  CHECK(HoldsFor(R"({"windows": false})", error));
  error.where.file = error.user.file = R"(C:\v\Lib\site-packages\torch\_dynamo\utils.py)";
  CHECK(HoldsFor(R"({"raised_by_library": false, "windows": true})", error));
  Cause graph_break = Break();
  CHECK(HoldsFor(R"({"takes_constants": false})", graph_break));
  graph_break.context = "call_method ClassVariable() __mul__ [ConstantVariable(int: 2)] {}";
  CHECK(HoldsFor(R"({"takes_constants": true})", graph_break));
}

TEST_CASE("the *_has conditions match words in a text", "[rules]") {
  CHECK(HoldsFor(R"({"type_has": ["print", "item"]})", Break()));
  CHECK_FALSE(HoldsFor(R"({"type_has": ["ITEM"]})", Break()));
  CHECK(HoldsFor(R"({"context_has": ["TensorVariable"]})", Break()));
  CHECK_FALSE(HoldsFor(R"({"context_has": ["print"]})", Break()));
  CHECK(HoldsFor(R"({"message_has": ["mess"]})", Break()));
  CHECK_FALSE(HoldsFor(R"({"message_has": ["print"]})", Break()));
  CHECK(HoldsFor(R"({"file_has": ["/w/"]})", Recompile()));
  CHECK_FALSE(HoldsFor(R"({"file_has": ["site-packages"]})", Recompile()));
}

TEST_CASE("why and action match the words of the contract", "[rules]") {
  Cause cause;
  cause.kind = CauseKind::kCudagraph;
  cause.why = "cpu-device";
  cause.action = "skip";
  CHECK(HoldsFor(R"({"why": ["cpu-device"], "action": ["skip", "record"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"why": ["aliasing"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"action": ["error"]})", cause));
}

TEST_CASE("numbers matches the kind of all dtypes of a tensor", "[rules]") {
  Cause cause = Recompile();
  CHECK(HoldsFor(R"({"numbers": ["unknown"]})", cause));
  cause.values = {"Float", "BFloat16", "Half"};
  CHECK(HoldsFor(R"({"numbers": ["float"]})", cause));
  cause.values = {"Int", "Long"};
  CHECK(HoldsFor(R"({"numbers": ["integer"]})", cause));
  cause.values = {"Float", "Long"};
  CHECK(HoldsFor(R"({"numbers": ["mixed"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"numbers": ["float", "integer", "unknown"]})", cause));
  cause.values = {"Bool", "Float"};
  CHECK(HoldsFor(R"({"numbers": ["mixed"]})", cause));
  cause.values = {"Float", "SomeDtype"};
  CHECK(HoldsFor(R"({"numbers": ["unknown"]})", cause));
}

TEST_CASE("each condition has a unique name and one evaluation function", "[rules]") {
  CHECK(BuiltinConditions().size() == 69);
  for (const ConditionKind& kind : BuiltinConditions()) {
    CAPTURE(kind.name);
    CHECK(std::ranges::count(BuiltinConditions(), kind.name, &ConditionKind::name) == 1);
    CHECK((kind.fits == nullptr) != (kind.is_true == nullptr));
  }
}

TEST_CASE("the words of a condition are those of the contract", "[rules]") {
  const auto [name, first, last] = GENERATE(table<std::string, std::string, std::string>({
      {"class", "size", "other"},
      {"pattern", "none", "varying"},
      {"why", "cannot-resume", "worker-skew"},
      {"action", "skip", "tracer-warning"},
      {"stat", "utf8_invalid", "guards_too_many"},
  }));
  const auto kind = std::ranges::find(BuiltinConditions(), name, &ConditionKind::name);
  const std::vector<std::string_view> words = kind->known_words();
  CHECK(words.front() == first);
  CHECK(words.back() == last);
}

TEST_CASE("of_argument matches arguments and their attributes, but no modules", "[rules]") {
  Cause cause = Recompile();
  const auto holds_for = [&cause](std::string source, std::string_view where) {
    cause.culprit->source = std::move(source);
    return HoldsFor(where, cause);
  };
  CHECK(holds_for("L['x']", R"({"of_argument": true, "passed": true})"));
  CHECK(holds_for("L['ctx'].flags['debug']", R"({"of_argument": true, "passed": false})"));
  CHECK(holds_for("L['self'].flags", R"({"of_argument": false})"));
  CHECK(holds_for("G['flags']", R"({"of_argument": false})"));
}

TEST_CASE("has matches a fact", "[rules]") {
  Cause cause = Recompile();
  CHECK_FALSE(HoldsFor(R"({"has": ["flag_defaults", "optional_values"]})", cause));
  CHECK(HoldsFor(R"({"not_has": ["flag_defaults", "optional_values"]})", cause));
  cause.facts.emplace_back("optional_values", "p.bias and p.scale");
  CHECK(HoldsFor(R"({"has": ["flag_defaults", "optional_values"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"not_has": ["flag_defaults", "optional_values"]})", cause));
}

TEST_CASE("not_ before a list condition requires that no word matches", "[rules]") {
  Cause cause = Break();
  cause.context = "aten.nonzero.default";
  CHECK(HoldsFor(R"({"not_context_has": ["lstsq", "ctc"]})", cause));
  CHECK_FALSE(HoldsFor(R"({"not_context_has": ["lstsq", "nonzero"]})", cause));
}

TEST_CASE("checks matches functions whose names say so", "[rules]") {
  Cause cause = Break();
  cause.user.function = "_check_inputs";
  CHECK(HoldsFor(R"({"checks": true})", cause));
  cause.user.function = "checkpoint";
  CHECK(HoldsFor(R"({"checks": false})", cause));
}

}  // namespace
}  // namespace shapewise
