// What torch, numpy and Python give, call by call.

#include "shapewise/source/outside.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "shapewise/source/fact.h"
#include "support/catch.h"

namespace shapewise {
namespace {

Value Of(ValueKind kind, std::initializer_list<Trait> traits = {}, uint8_t certainty = 100) {
  Value value{.kind = kind, .certainty = certainty};
  for (const Trait trait : traits) value.traits |= static_cast<uint16_t>(trait);
  return value;
}

const Value kX = Of(ValueKind::kTensor);
const Value kN = Of(ValueKind::kInt);
const Value kNothing = {};

struct Arg {
  std::string_view keyword;
  Value value;
};

/// Calls `name` of `subject`; positional arguments have the empty keyword.
OutsideEffect Call(std::string_view name, Value subject, const std::vector<Arg>& args = {}) {
  std::vector<Value> values;
  std::vector<std::string_view> keywords;
  for (const Arg& arg : args) {
    values.push_back(arg.value);
    keywords.push_back(arg.keyword);
  }
  return EffectOf({.name = name, .subject = subject, .arguments = values, .keywords = keywords});
}

/// The method `name` of a tensor.
OutsideEffect Method(std::string_view name, const std::vector<Arg>& args = {}, Value subject = kX) {
  return Call(MethodName(ValueKind::kTensor, name), subject, args);
}

OutsideEffect Function(std::string_view name, const std::vector<Arg>& args = {}) {
  return Call(name, kNothing, args);
}

/// "tensor mask one_element": the kind, and traits but kMade.
std::string Told(const Value& value) {
  std::string text(ValueKindName(value.kind));
  for (int bit = 0; bit < 16; ++bit) {
    const auto trait = static_cast<Trait>(1 << bit);
    if (trait != Trait::kMade && value.Has(trait)) text += " " + std::string(TraitName(trait));
  }
  return text;
}

TEST_CASE("what reads a tensor gives numbers from data", "[source]") {
  CHECK(Told(Method("item").result) == "float from_data");
  CHECK(Told(Method("item", {}, Of(ValueKind::kTensor, {Trait::kIntegers})).result) ==
        "int from_data");
  CHECK(Told(Method("tolist").result) == "sequence from_data");
  CHECK(Told(Function("torch.equal", {{"", kX}, {"", kX}}).result) == "bool from_data");
  CHECK(Told(Function("builtins.int", {{"", kX}}).result) == "int from_data");
  CHECK(Told(Function("builtins.float", {{"", kX}}).result) == "float from_data");
  CHECK(Told(Function("builtins.bool", {{"", kX}}).result) == "bool from_data");
}

TEST_CASE("numbers of sizes and settings stay what they were", "[source]") {
  const Value size = Of(ValueKind::kInt, {Trait::kFromSize});
  CHECK(Told(Function("builtins.int", {{"", size}}).result) == "int from_size");
  CHECK(Told(Function("math.sqrt", {{"", size}}).result) == "float from_size");
  CHECK(Told(Function("builtins.len", {{"", kX}}).result) == "int from_size");
  CHECK(Told(Function("builtins.max", {{"", size}, {"", kN}}).result) == "int from_size");
  CHECK(Told(Function("builtins.range", {{"", size}}).element) == "int from_size");
  CHECK(Told(Function("math.ceil", {{"", Of(ValueKind::kFloat, {Trait::kConfig})}}).result) ==
        "int config");
}

TEST_CASE("an array or tensor in math is read", "[source]") {
  const OutsideEffect effect = Function("math.sqrt", {{"", kX}});
  CHECK(effect.number_arguments == 1);
  CHECK(Told(effect.result) == "float from_data");
}

TEST_CASE("some sizes depend on data", "[source]") {
  CHECK(Told(Method("nonzero").result) == "tensor integers unknown_size");
  CHECK(Method("nonzero", {{"as_tuple", Of(ValueKind::kBool)}}).result.kind ==
        ValueKind::kSequence);
  CHECK(Told(Method("masked_select", {{"", kX}}).result) == "tensor unknown_size");
  CHECK(Told(Function("torch.unique", {{"", kX}}).result) == "tensor unknown_size");
  const OutsideEffect inverse =
      Function("torch.unique", {{"", kX}, {"return_inverse", Of(ValueKind::kBool)}});
  CHECK(inverse.result.kind == ValueKind::kSequence);
  CHECK(Told(inverse.element) == "tensor unknown_size");
  const OutsideEffect where = Function("torch.where", {{"", kX}});
  CHECK(where.result.kind == ValueKind::kSequence);
  CHECK(Told(where.element) == "tensor integers unknown_size");
  CHECK(Told(Function("torch.where", {{"", kX}, {"", kX}, {"", kX}}).result) == "tensor");
}

TEST_CASE("repeat_interleave is of unknown size only if a tensor says how often", "[source]") {
  CHECK(Told(Method("repeat_interleave", {{"", kN}, {"dim", kN}}).result) == "tensor");
  CHECK(Told(Method("repeat_interleave", {{"", kX}, {"dim", kN}}).result) == "tensor unknown_size");
  CHECK(Told(Method("repeat_interleave", {{"", kX}, {"output_size", kN}}).result) == "tensor");
  CHECK(Told(Function("torch.repeat_interleave", {{"", kX}, {"repeats", kX}}).result) ==
        "tensor unknown_size");
}

TEST_CASE("one_hot needs num_classes", "[source]") {
  CHECK(Told(Function("torch.nn.functional.one_hot", {{"", kX}}).result) ==
        "tensor integers unknown_size");
  CHECK(Told(Function("torch.nn.functional.one_hot", {{"", kX}, {"num_classes", kN}}).result) ==
        "tensor integers");
}

TEST_CASE("an unknown size goes on through what follows", "[source]") {
  const Value unknown = Of(ValueKind::kTensor, {Trait::kUnknownSize});
  CHECK(Told(Function("torch.relu", {{"", unknown}}).result) == "tensor unknown_size");
  CHECK(Told(Method("unsqueeze", {{"", kN}}, unknown).result) == "tensor unknown_size");
  CHECK(Told(Method("index_select", {{"", kN}, {"", unknown}}).result) == "tensor unknown_size");
  CHECK(Told(Method("sum", {}, unknown).result) == "tensor one_element");
}

TEST_CASE("comparisons are masks, and any of a mask is one element", "[source]") {
  const Value mask = Method("gt", {{"", kN}}).result;
  CHECK(Told(mask) == "tensor mask");
  CHECK(Told(Method("any", {}, mask).result) == "tensor mask one_element");
  CHECK(Told(Method("all", {{"dim", kN}}, mask).result) == "tensor mask");
  CHECK(Told(Function("torch.isinf", {{"", kX}}).result) == "tensor mask");
  CHECK(Told(Method("sum", {}, mask).result) == "tensor integers one_element");
  CHECK(Told(Method("logical_not", {}, mask).result) == "tensor mask");
  CHECK(Told(Method("cumsum", {{"", kN}}, mask).result) == "tensor integers");
}

TEST_CASE("a reduction without a dim is one element", "[source]") {
  CHECK(Told(Method("mean").result) == "tensor one_element");
  CHECK(Told(Method("mean", {{"", kN}}).result) == "tensor");
  CHECK(Told(Method("std", {{"", Of(ValueKind::kBool)}}).result) == "tensor one_element");
  CHECK(Told(Method("norm", {{"", kN}}).result) == "tensor one_element");
  CHECK(Told(Method("norm", {{"", kN}, {"", kN}}).result) == "tensor");
  CHECK(Told(Function("torch.sum", {{"", kX}, {"dtype", Of(ValueKind::kOutside)}}).result) ==
        "tensor one_element");
  CHECK(Told(Function("torch.argmax", {{"", kX}}).result) == "tensor integers one_element");
}

TEST_CASE("max is one element, a pair, or elementwise", "[source]") {
  CHECK(Told(Method("max").result) == "tensor one_element");
  const OutsideEffect pair = Method("max", {{"dim", kN}});
  CHECK(pair.result.kind == ValueKind::kSequence);
  CHECK(Told(pair.element) == "tensor");
  CHECK(Told(Function("torch.max", {{"", kX}, {"", kX}}).result) == "tensor");
  CHECK(Told(AttributeOf(pair.result, "values")) == "tensor");
}

TEST_CASE("topk gives a pair and asks for a number", "[source]") {
  const OutsideEffect effect = Method("topk", {{"", kX}, {"dim", kN}});
  CHECK(effect.result.kind == ValueKind::kSequence);
  CHECK(effect.number_arguments == 1);
  CHECK(effect.is_size);
  CHECK(Function("torch.topk", {{"", kX}, {"k", kX}}).number_arguments == 2);
  CHECK(Function("torch.topk", {{"", kX}, {"", kX}}).number_arguments == 2);
}

TEST_CASE("sizes have to be numbers", "[source]") {
  CHECK(Method("view", {{"", kN}, {"", kX}}).number_arguments == 3);
  CHECK(Function("torch.zeros", {{"", kX}, {"device", kNothing}}).number_arguments == 1);
  CHECK(Function("torch.full", {{"", kX}, {"", kX}}).number_arguments == 1);
  CHECK(Function("torch.full_like", {{"", kX}, {"", kX}}).number_arguments == 2);
  CHECK(Function("torch.nn.functional.leaky_relu", {{"", kX}, {"", kX}}).number_arguments == 2);
  CHECK(Function("torch.nn.functional.prelu", {{"", kX}, {"", kX}}).number_arguments == 0);
  CHECK(Function("torch.nn.functional.cross_entropy", {{"", kX}, {"", kX}, {"label_smoothing", kX}})
            .number_arguments == 4);
  CHECK(Function("torch.arange", {{"end", kX}}).number_arguments == 1);
  CHECK(Method("narrow", {{"", kN}, {"", kX}, {"", kX}}).number_arguments == 6);
  CHECK(Function("torch.nn.functional.pad", {{"", kX}, {"", kNothing}}).number_arguments == 2);
  CHECK(Method("add", {{"", kX}}).number_arguments == 0);
  CHECK(Method("add", {{"", kX}, {"alpha", kX}}).number_arguments == 2);
}

TEST_CASE("split and unbind give tensors", "[source]") {
  for (const std::string_view name : {"split", "chunk", "unbind", "tensor_split"}) {
    const OutsideEffect effect =
        Method(name, {{"", kN}}, Of(ValueKind::kTensor, {Trait::kIntegers}));
    CHECK(effect.result.kind == ValueKind::kSequence);
    CHECK(Told(effect.element) == "tensor integers");
  }
}

TEST_CASE("questions about a tensor that need no data have constant answers", "[source]") {
  CHECK(Told(Method("size").result) == "shape from_size");
  CHECK(Told(Method("size", {{"", kN}}).result) == "int from_size");
  CHECK(Told(Method("dim").result) == "int constant");
  CHECK(Told(Method("numel").result) == "int from_size");
  CHECK(Told(Method("is_floating_point").result) == "bool constant");
  CHECK(Told(AttributeOf(kX, "shape")) == "shape from_size");
  CHECK(Told(AttributeOf(kX, "ndim")) == "int constant");
  CHECK(Told(AttributeOf(kX, "is_cuda")) == "bool constant");
  CHECK(Told(AttributeOf(kX, "dtype")) == "outside constant");
  CHECK(Told(AttributeOf(kX, "device")) == "object constant");
  CHECK(Told(AttributeOf(kX, "T")) == "tensor");
  CHECK(Told(Function("torch.compiler.is_compiling").result) == "bool constant");
}

TEST_CASE("dtypes go over to what is made of them", "[source]") {
  const Value to_bool = ValueOfName("torch.bool");
  const Value to_long = ValueOfName("torch.long");
  const Value to_half = ValueOfName("torch.float16");
  CHECK(Told(Function("torch.zeros", {{"", kN}, {"dtype", to_bool}}).result) == "tensor mask");
  CHECK(Told(Method("to", {{"", to_long}}).result) == "tensor integers");
  CHECK(Told(Method("to", {{"", to_half}}, Of(ValueKind::kTensor, {Trait::kMask})).result) ==
        "tensor");
  CHECK(Told(Method("to", {{"", AttributeOf(kX, "device")}}, Of(ValueKind::kTensor, {Trait::kMask}))
                 .result) == "tensor mask");
  CHECK(Told(Method("bool").result) == "tensor mask");
  CHECK(Told(Method("float", {}, Of(ValueKind::kTensor, {Trait::kIntegers})).result) == "tensor");
  CHECK(Told(Function("torch.arange", {{"", kN}}).result) == "tensor integers");
  CHECK(Told(Function("torch.tensor", {{"", Of(ValueKind::kFloat)}}).result) ==
        "tensor one_element");
}

TEST_CASE("certainty is that of what a method stands on", "[source]") {
  CHECK(Method("relu", {}, Of(ValueKind::kTensor, {}, 80)).result.certainty == 80);
  CHECK(Function("torch.relu", {{"", Of(ValueKind::kTensor, {}, 80)}}).result.certainty == 100);
}

TEST_CASE("modules give what their classes give", "[source]") {
  const OutsideEffect lstm = Function("torch.nn.LSTM", {{"", kN}});
  CHECK(lstm.result.kind == ValueKind::kModule);
  CHECK(lstm.type == "torch.nn.LSTM");
  CHECK(Function("torch.nn.LSTM.__call__", {{"", kX}}).result.kind == ValueKind::kSequence);
  CHECK(Told(Function("torch.nn.Linear.__call__", {{"", kX}}).result) == "tensor");
  CHECK(Told(Function("torch.nn.CrossEntropyLoss.__call__", {{"", kX}}).result) ==
        "tensor one_element");
  const OutsideEffect other = Function("timm.layers.Mlp.__call__", {{"", kX}});
  CHECK(Told(other.result) == "tensor");
  CHECK(other.result.certainty == 80);
  CHECK_FALSE(other.is_known);
}

TEST_CASE("numpy gives arrays", "[source]") {
  CHECK(Told(Function("numpy.prod", {{"", Of(ValueKind::kShape)}}).result) == "array one_element");
  CHECK(Told(Function("numpy.random.rand", {{"", kN}}).result) == "array");
  CHECK(Told(Method("numpy").result) == "array");
  const Value array = Of(ValueKind::kArray);
  CHECK(Told(Call(MethodName(ValueKind::kArray, "max"), array).result) == "array one_element");
  CHECK(Told(Call(MethodName(ValueKind::kArray, "item"), array).result) == "float from_data");
  CHECK(Told(Function("torch.from_numpy", {{"", array}}).result) == "tensor");
}

TEST_CASE("objects are named by their class", "[source]") {
  CHECK(Function("logging.getLogger").type == "logging.Logger");
  CHECK(Function("logging.Logger.warning").is_known);
  CHECK(Function("threading.Lock").type == "threading.Lock");
  CHECK(Function("copy.deepcopy", {{"", kX}}).result.kind == ValueKind::kTensor);
}

TEST_CASE("unknown names of torch give a tensor at low certainty if one goes in", "[source]") {
  const OutsideEffect effect = Function("torch.brand_new", {{"", kX}});
  CHECK_FALSE(effect.is_known);
  CHECK(effect.result.kind == ValueKind::kTensor);
  CHECK(effect.result.certainty == 50);
  CHECK(Function("torch.brand_new").result.kind == ValueKind::kUnknown);
  CHECK(Function("other.thing", {{"", kX}}).result.kind == ValueKind::kUnknown);
}

TEST_CASE("methods have names where the kind has them", "[source]") {
  CHECK(MethodName(ValueKind::kTensor, "item") == "torch.Tensor.item");
  CHECK(MethodName(ValueKind::kTensor, "append").empty());
  CHECK(MethodName(ValueKind::kSequence, "append") == "list.append");
  CHECK(MethodName(ValueKind::kText, "format") == "str.format");
  CHECK(MethodName(ValueKind::kUnknown, "item").empty());
}

TEST_CASE("several names of one function have one standard name", "[source]") {
  CHECK(CanonicalName("torch.nn.functional.sigmoid") == "torch.sigmoid");
  CHECK(CanonicalName("torch.special.expit") == "torch.sigmoid");
  CHECK(CanonicalName("torch.concat") == "torch.cat");
  CHECK(CanonicalName("torch.nn.modules.linear.Linear") == "torch.nn.Linear");
  CHECK(CanonicalName("numpy.float32") == "numpy.float32");
  CHECK(CanonicalName("mine.sigmoid") == "mine.sigmoid");
  CHECK(Told(Function("torch.greater", {{"", kX}, {"", kN}}).result) == "tensor mask");
}

TEST_CASE("annotations say what comes in", "[source]") {
  CHECK(Told(ValueOfType("torch.Tensor")) == "tensor");
  CHECK(Told(ValueOfType("torch.LongTensor")) == "tensor integers");
  CHECK(Told(ValueOfType("torch.BoolTensor")) == "tensor mask");
  CHECK(Told(ValueOfType("numpy.ndarray")) == "array");
  CHECK(Told(ValueOfType("builtins.int")) == "int");
  CHECK(Told(ValueOfType("builtins.bool")) == "bool");
  CHECK(ValueOfType("transformers.cache_utils.Cache").kind == ValueKind::kObject);
  CHECK(ValueOfType("transformers.BertConfig").Has(Trait::kConfig));
  CHECK(ValueOfType("torch.nn.Module").kind == ValueKind::kModule);
  CHECK(ValueOfType("typing.Any").kind == ValueKind::kUnknown);
}

TEST_CASE("names of parameters are a guess, and say so", "[source]") {
  CHECK(Told(GuessByName("input_ids")) == "tensor integers guessed");
  CHECK(Told(GuessByName("hidden_states")) == "tensor guessed");
  CHECK(GuessByName("config").Has(Trait::kConfig));
  CHECK(GuessByName("use_cache").kind == ValueKind::kBool);
  CHECK(GuessByName("output_attentions").kind == ValueKind::kBool);
  CHECK(GuessByName("output_hidden_states").kind == ValueKind::kBool);
  CHECK(GuessByName("input_dimensions").kind == ValueKind::kSequence);
  CHECK(GuessByName("output_mask").kind == ValueKind::kTensor);
  CHECK(GuessByName("num_heads").kind == ValueKind::kInt);
  CHECK(GuessByName("interpolation_mode").kind == ValueKind::kText);
  CHECK(GuessByName("past_key_values").kind == ValueKind::kObject);
  CHECK(GuessByName("whatever").kind == ValueKind::kUnknown);
}

TEST_CASE("a configuration holds constants", "[source]") {
  const Value config = Of(ValueKind::kObject, {Trait::kConfig});
  CHECK(Told(AttributeOf(config, "hidden_size")) == "int constant config");
  CHECK(Told(AttributeOf(config, "use_cache")) == "bool constant config");
  CHECK(Told(AttributeOf(config, "anything")) == "unknown constant config");
}

}  // namespace
}  // namespace shapewise
