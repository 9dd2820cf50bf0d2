// What torch, numpy and Python give, call by call.

#include "source/outside.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "source/fact.h"
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
std::string Describe(const Value& value) {
  std::string text(ValueKindName(value.kind));
  for (int bit = 0; bit < 16; ++bit) {
    const auto trait = static_cast<Trait>(1 << bit);
    if (trait != Trait::kMade && value.Has(trait)) text += " " + std::string(TraitName(trait));
  }
  return text;
}

TEST_CASE("functions that read a tensor return numbers that depend on data", "[source]") {
  CHECK(Describe(Method("item").result) == "float from_data");
  CHECK(Describe(Method("item", {}, Of(ValueKind::kTensor, {Trait::kIntegers})).result) ==
        "int from_data");
  CHECK(Describe(Method("tolist").result) == "sequence from_data");
  CHECK(Describe(Function("torch.equal", {{"", kX}, {"", kX}}).result) == "bool from_data");
  CHECK(Describe(Function("builtins.int", {{"", kX}}).result) == "int from_data");
  CHECK(Describe(Function("builtins.float", {{"", kX}}).result) == "float from_data");
  CHECK(Describe(Function("builtins.bool", {{"", kX}}).result) == "bool from_data");
}

TEST_CASE("numbers of sizes and settings stay what they were", "[source]") {
  const Value size = Of(ValueKind::kInt, {Trait::kFromSize});
  CHECK(Describe(Function("builtins.int", {{"", size}}).result) == "int from_size");
  CHECK(Describe(Function("math.sqrt", {{"", size}}).result) == "float from_size");
  CHECK(Describe(Function("builtins.len", {{"", kX}}).result) == "int from_size");
  CHECK(Describe(Function("builtins.max", {{"", size}, {"", kN}}).result) == "int from_size");
  CHECK(Describe(Function("builtins.range", {{"", size}}).element) == "int from_size");
  CHECK(Describe(Function("math.ceil", {{"", Of(ValueKind::kFloat, {Trait::kConfig})}}).result) ==
        "int config");
}

TEST_CASE("an array or tensor in math is read", "[source]") {
  const OutsideEffect effect = Function("math.sqrt", {{"", kX}});
  CHECK(effect.number_arguments == 1);
  CHECK(Describe(effect.result) == "float from_data");
}

TEST_CASE("some sizes depend on data", "[source]") {
  CHECK(Describe(Method("nonzero").result) == "tensor integers unknown_size");
  CHECK(Method("nonzero", {{"as_tuple", Of(ValueKind::kBool)}}).result.kind ==
        ValueKind::kSequence);
  CHECK(Describe(Method("masked_select", {{"", kX}}).result) == "tensor unknown_size");
  CHECK(Describe(Function("torch.unique", {{"", kX}}).result) == "tensor unknown_size");
  const OutsideEffect inverse =
      Function("torch.unique", {{"", kX}, {"return_inverse", Of(ValueKind::kBool)}});
  CHECK(inverse.result.kind == ValueKind::kSequence);
  CHECK(Describe(inverse.element) == "tensor unknown_size");
  const OutsideEffect where = Function("torch.where", {{"", kX}});
  CHECK(where.result.kind == ValueKind::kSequence);
  CHECK(Describe(where.element) == "tensor integers unknown_size");
  CHECK(Describe(Function("torch.where", {{"", kX}, {"", kX}, {"", kX}}).result) == "tensor");
}

TEST_CASE("repeat_interleave is of unknown size only if a tensor says how often", "[source]") {
  CHECK(Describe(Method("repeat_interleave", {{"", kN}, {"dim", kN}}).result) == "tensor");
  CHECK(Describe(Method("repeat_interleave", {{"", kX}, {"dim", kN}}).result) ==
        "tensor unknown_size");
  CHECK(Describe(Method("repeat_interleave", {{"", kX}, {"output_size", kN}}).result) == "tensor");
  CHECK(Describe(Function("torch.repeat_interleave", {{"", kX}, {"repeats", kX}}).result) ==
        "tensor unknown_size");
}

TEST_CASE("one_hot needs num_classes", "[source]") {
  CHECK(Describe(Function("torch.nn.functional.one_hot", {{"", kX}}).result) ==
        "tensor integers unknown_size");
  CHECK(Describe(Function("torch.nn.functional.one_hot", {{"", kX}, {"num_classes", kN}}).result) ==
        "tensor integers");
}

TEST_CASE("an unknown size goes on through what follows", "[source]") {
  const Value unknown = Of(ValueKind::kTensor, {Trait::kUnknownSize});
  CHECK(Describe(Function("torch.relu", {{"", unknown}}).result) == "tensor unknown_size");
  CHECK(Describe(Method("unsqueeze", {{"", kN}}, unknown).result) == "tensor unknown_size");
  CHECK(Describe(Method("index_select", {{"", kN}, {"", unknown}}).result) ==
        "tensor unknown_size");
  CHECK(Describe(Method("sum", {}, unknown).result) == "tensor one_element");
}

TEST_CASE("comparisons are masks, and any of a mask is one element", "[source]") {
  const Value mask = Method("gt", {{"", kN}}).result;
  CHECK(Describe(mask) == "tensor mask");
  CHECK(Describe(Method("any", {}, mask).result) == "tensor mask one_element");
  CHECK(Describe(Method("all", {{"dim", kN}}, mask).result) == "tensor mask");
  CHECK(Describe(Function("torch.isinf", {{"", kX}}).result) == "tensor mask");
  CHECK(Describe(Method("sum", {}, mask).result) == "tensor integers one_element");
  CHECK(Describe(Method("logical_not", {}, mask).result) == "tensor mask");
  CHECK(Describe(Method("cumsum", {{"", kN}}, mask).result) == "tensor integers");
}

TEST_CASE("a reduction without a dim is one element", "[source]") {
  CHECK(Describe(Method("mean").result) == "tensor one_element");
  CHECK(Describe(Method("mean", {{"", kN}}).result) == "tensor");
  CHECK(Describe(Method("std", {{"", Of(ValueKind::kBool)}}).result) == "tensor one_element");
  CHECK(Describe(Method("norm", {{"", kN}}).result) == "tensor one_element");
  CHECK(Describe(Method("norm", {{"", kN}, {"", kN}}).result) == "tensor");
  CHECK(Describe(Function("torch.sum", {{"", kX}, {"dtype", Of(ValueKind::kOutside)}}).result) ==
        "tensor one_element");
  CHECK(Describe(Function("torch.argmax", {{"", kX}}).result) == "tensor integers one_element");
}

TEST_CASE("max is one element, a pair, or elementwise", "[source]") {
  CHECK(Describe(Method("max").result) == "tensor one_element");
  const OutsideEffect pair = Method("max", {{"dim", kN}});
  CHECK(pair.result.kind == ValueKind::kSequence);
  CHECK(Describe(pair.element) == "tensor");
  CHECK(Describe(Function("torch.max", {{"", kX}, {"", kX}}).result) == "tensor");
  CHECK(Describe(AttributeOf(pair.result, "values")) == "tensor");
}

TEST_CASE("topk returns a pair and needs a number", "[source]") {
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
    CHECK(Describe(effect.element) == "tensor integers");
  }
}

TEST_CASE("questions about a tensor that need no data have constant answers", "[source]") {
  CHECK(Describe(Method("size").result) == "shape from_size");
  CHECK(Describe(Method("size", {{"", kN}}).result) == "int from_size");
  CHECK(Describe(Method("dim").result) == "int constant");
  CHECK(Describe(Method("numel").result) == "int from_size");
  CHECK(Describe(Method("is_floating_point").result) == "bool constant");
  CHECK(Describe(AttributeOf(kX, "shape")) == "shape from_size");
  CHECK(Describe(AttributeOf(kX, "ndim")) == "int constant");
  CHECK(Describe(AttributeOf(kX, "is_cuda")) == "bool constant");
  CHECK(Describe(AttributeOf(kX, "dtype")) == "outside constant");
  CHECK(Describe(AttributeOf(kX, "device")) == "object constant");
  CHECK(Describe(AttributeOf(kX, "T")) == "tensor");
  CHECK(Describe(Function("torch.compiler.is_compiling").result) == "bool constant");
}

TEST_CASE("dtypes go over to what is made of them", "[source]") {
  const Value to_bool = ValueOfName("torch.bool");
  const Value to_long = ValueOfName("torch.long");
  const Value to_half = ValueOfName("torch.float16");
  CHECK(Describe(Function("torch.zeros", {{"", kN}, {"dtype", to_bool}}).result) == "tensor mask");
  CHECK(Describe(Method("to", {{"", to_long}}).result) == "tensor integers");
  CHECK(Describe(Method("to", {{"", to_half}}, Of(ValueKind::kTensor, {Trait::kMask})).result) ==
        "tensor");
  CHECK(Describe(
            Method("to", {{"", AttributeOf(kX, "device")}}, Of(ValueKind::kTensor, {Trait::kMask}))
                .result) == "tensor mask");
  CHECK(Describe(Method("bool").result) == "tensor mask");
  CHECK(Describe(Method("float", {}, Of(ValueKind::kTensor, {Trait::kIntegers})).result) ==
        "tensor");
  CHECK(Describe(Function("torch.arange", {{"", kN}}).result) == "tensor integers");
  CHECK(Describe(Function("torch.tensor", {{"", Of(ValueKind::kFloat)}}).result) ==
        "tensor one_element");
}

TEST_CASE("a method is as certain as the object it is called on", "[source]") {
  CHECK(Method("relu", {}, Of(ValueKind::kTensor, {}, 80)).result.certainty == 80);
  CHECK(Function("torch.relu", {{"", Of(ValueKind::kTensor, {}, 80)}}).result.certainty == 100);
}

TEST_CASE("modules give what their classes give", "[source]") {
  const OutsideEffect lstm = Function("torch.nn.LSTM", {{"", kN}});
  CHECK(lstm.result.kind == ValueKind::kModule);
  CHECK(lstm.type == "torch.nn.LSTM");
  CHECK(Function("torch.nn.LSTM.__call__", {{"", kX}}).result.kind == ValueKind::kSequence);
  CHECK(Describe(Function("torch.nn.Linear.__call__", {{"", kX}}).result) == "tensor");
  CHECK(Describe(Function("torch.nn.CrossEntropyLoss.__call__", {{"", kX}}).result) ==
        "tensor one_element");
  const OutsideEffect other = Function("timm.layers.Mlp.__call__", {{"", kX}});
  CHECK(Describe(other.result) == "tensor");
  CHECK(other.result.certainty == 80);
  CHECK_FALSE(other.is_known);
}

TEST_CASE("numpy gives arrays", "[source]") {
  CHECK(Describe(Function("numpy.prod", {{"", Of(ValueKind::kShape)}}).result) ==
        "array one_element");
  CHECK(Describe(Function("numpy.random.rand", {{"", kN}}).result) == "array");
  CHECK(Describe(Method("numpy").result) == "array");
  const Value array = Of(ValueKind::kArray);
  CHECK(Describe(Call(MethodName(ValueKind::kArray, "max"), array).result) == "array one_element");
  CHECK(Describe(Call(MethodName(ValueKind::kArray, "item"), array).result) == "float from_data");
  CHECK(Describe(Function("torch.from_numpy", {{"", array}}).result) == "tensor");
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
  CHECK(Describe(Function("torch.greater", {{"", kX}, {"", kN}}).result) == "tensor mask");
}

TEST_CASE("annotations give the types of arguments", "[source]") {
  CHECK(Describe(ValueOfType("torch.Tensor")) == "tensor");
  CHECK(Describe(ValueOfType("torch.LongTensor")) == "tensor integers");
  CHECK(Describe(ValueOfType("torch.BoolTensor")) == "tensor mask");
  CHECK(Describe(ValueOfType("numpy.ndarray")) == "array");
  CHECK(Describe(ValueOfType("builtins.int")) == "int");
  CHECK(Describe(ValueOfType("builtins.bool")) == "bool");
  CHECK(ValueOfType("transformers.cache_utils.Cache").kind == ValueKind::kObject);
  CHECK(ValueOfType("transformers.BertConfig").Has(Trait::kConfig));
  CHECK(ValueOfType("torch.nn.Module").kind == ValueKind::kModule);
  CHECK(ValueOfType("typing.Any").kind == ValueKind::kUnknown);
}

TEST_CASE("names of parameters are a guess, and say so", "[source]") {
  CHECK(Describe(GuessByName("input_ids")) == "tensor integers guessed");
  CHECK(Describe(GuessByName("hidden_states")) == "tensor guessed");
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

TEST_CASE("a configuration contains constants", "[source]") {
  const Value config = Of(ValueKind::kObject, {Trait::kConfig});
  CHECK(Describe(AttributeOf(config, "hidden_size")) == "int constant config");
  CHECK(Describe(AttributeOf(config, "use_cache")) == "bool constant config");
  CHECK(Describe(AttributeOf(config, "anything")) == "unknown constant config");
}

}  // namespace
}  // namespace shapewise
