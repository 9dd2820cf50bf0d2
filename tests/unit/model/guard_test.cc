#include "model/guard.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

// The expected fields of GuardFailure for a reason, each optional.
struct Wanted {
  std::string_view entry = "";
  std::string_view guard = "";  // empty: all of the text
  GuardClass guard_class = GuardClass::kOther;
  std::string_view source = "";
  int32_t dim = -1;
  std::string_view expected = "";
  std::string_view actual = "";
  std::string_view user_file = "";
  uint32_t user_line = 0;
  std::string_view user_function = "";
  std::string_view code = "";
  std::string_view hint = "";
};

struct Sample {
  std::string_view text;
  Wanted want;
};

void CheckSamples(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    INFO("reason: " << sample.text);
    const GuardFailure got = ParseGuardFailure(sample.text);
    const Wanted& want = sample.want;
    CHECK(got.entry == want.entry);
    CHECK(got.guard == (want.guard.empty() ? sample.text : want.guard));
    CHECK(GuardClassName(got.guard_class) == GuardClassName(want.guard_class));
    CHECK(got.source == want.source);
    CHECK(got.dim == want.dim);
    CHECK(got.expected == want.expected);
    CHECK(got.actual == want.actual);
    CHECK(got.user_file == want.user_file);
    CHECK(got.user_line == want.user_line);
    CHECK(got.user_function == want.user_function);
    CHECK(got.code == want.code);
    CHECK(got.hint == want.hint);
  }
}

// A guard of which only class, source, dim, expected matter.
Sample Code(std::string_view text, GuardClass guard_class, std::string_view source = {},
            std::string_view expected = {}, int32_t dim = -1) {
  Sample sample;
  sample.text = text;
  sample.want.guard_class = guard_class;
  sample.want.source = source;
  sample.want.expected = expected;
  sample.want.dim = dim;
  return sample;
}

Sample Tensor(std::string_view text, GuardClass guard_class, std::string_view source, int32_t dim,
              std::string_view expected, std::string_view actual) {
  Sample sample = Code(text, guard_class, source, expected, dim);
  sample.want.actual = actual;
  return sample;
}

constexpr std::string_view kZeroOneNote =
    " (user code shown is first use of this value--the guard itself is not due user code but due "
    "to 0/1 specialization in the framework; to avoid specialization try "
    "torch._dynamo.decorators.mark_unbacked(tensor, dim))";
constexpr std::string_view kModuleIntHint =
    " (HINT: torch.compile considers integer attributes of the nn.Module to be static. If you are "
    "observing recompilation, you might want to make this integer dynamic using "
    "torch._dynamo.config.allow_unspec_int_on_nn_module = True, or convert this integer into a "
    "tensor.)";
constexpr std::string_view kParameterNote =
    ". Guard failed on a parameter, consider using "
    "torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";

std::vector<Sample> TensorSamples() {
  return {
      Tensor("tensor 'L['x']' size mismatch at index 0. expected 4, actual 5", GuardClass::kSize,
             "L['x']", 0, "4", "5"),
      Tensor("tensor 'kwargs['past_key_values'].layers[0].keys' size mismatch at index 2. expected "
             "5, actual 6",
             GuardClass::kSize, "kwargs['past_key_values'].layers[0].keys", 2, "5", "6"),
      Tensor("tensor 'L[\"x\"]' stride mismatch at index 1. expected 16, actual 1",
             GuardClass::kStride, "L[\"x\"]", 1, "16", "1"),
      Tensor("tensor 'x' strides mismatch at index 0. expected 562500, actual 2447991",
             GuardClass::kStride, "x", 0, "562500", "2447991"),
      Tensor("tensor 'x' rank mismatch. expected 1, actual 2", GuardClass::kNdim, "x", -1, "1",
             "2"),
      Tensor("tensor 'mask' dtype mismatch. expected Bool, actual Float", GuardClass::kDtype,
             "mask", -1, "Bool", "Float"),
      Tensor("tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual -1",
             GuardClass::kDevice, "x", -1, "0", "-1"),
      Tensor("tensor 'x' requires_grad mismatch. expected requires_grad=0",
             GuardClass::kRequiresGrad, "x", -1, "0", ""),
      Tensor("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, BackendSelect), "
             "actual DispatchKeySet(CUDA, BackendSelect)",
             GuardClass::kDispatchKeys, "x", -1, "DispatchKeySet(CPU, BackendSelect)",
             "DispatchKeySet(CUDA, BackendSelect)"),
      Tensor("expected type of 'kwargs['k'].keys' to be a tensor type, ' but found <class "
             "'NoneType'>",
             GuardClass::kType, "kwargs['k'].keys", -1, "", "<class 'NoneType'>"),
      Tensor("expected type of 'x' to be a tensor type, but found a different type",
             GuardClass::kType, "x", -1, "", ""),
      Tensor(
          "expected type of 'x' to be <class 'torch.Tensor'>, but found <class '__main__.Tagged'>",
          GuardClass::kType, "x", -1, "<class 'torch.Tensor'>", "<class '__main__.Tagged'>"),
  };
}

std::vector<Sample> ValueSamples() {
  return {
      Code("L['i'] == 1", GuardClass::kInt, "L['i']", "1"),
      Code("step == -3", GuardClass::kInt, "step", "-3"),
      Code("self._modules['self_attn'].layer_idx == 7", GuardClass::kInt,
           "self._modules['self_attn'].layer_idx", "7"),
      Code("fn.__closure__[0].cell_contents == 1", GuardClass::kInt,
           "fn.__closure__[0].cell_contents", "1"),
      Code("fn.__defaults__[0] == 2", GuardClass::kInt, "fn.__defaults__[0]", "2"),
      Code("getattr(L['o'], 'n') == 2", GuardClass::kInt, "getattr(L['o'], 'n')", "2"),
      Code("dict.__getitem__(L['d'], 'n') == 2", GuardClass::kInt, "dict.__getitem__(L['d'], 'n')",
           "2"),
      Code("___tuple_iterator_getitem(L['it'], 1) == 2", GuardClass::kInt,
           "___tuple_iterator_getitem(L['it'], 1)", "2"),
      Code("list(dict.keys(d))[0].n == 2", GuardClass::kInt, "list(dict.keys(d))[0].n", "2"),
      Code("int(a) == 1", GuardClass::kInt, "a", "1"),
      Code("L['n'] == np.int64(3)", GuardClass::kInt, "L['n']", "np.int64(3)"),
      Code("___stack0 == 0.46035853028297424", GuardClass::kFloat, "___stack0",
           "0.46035853028297424"),
      Code("eps == 1e-05", GuardClass::kFloat, "eps", "1e-05"),
      Code("t == 1.5e+20", GuardClass::kFloat, "t", "1.5e+20"),
      Code("t == -inf", GuardClass::kFloat, "t", "-inf"),
      Code("t == nan", GuardClass::kFloat, "t", "nan"),
      Code("t == np.float32(0.5)", GuardClass::kFloat, "t", "np.float32(0.5)"),
      Code("__math_isnan(L['t'])", GuardClass::kFloat, "L['t']", "nan"),
      Code("(type(t) is float and __math_isnan(t))", GuardClass::kFloat, "t", "nan"),
      Code("(type(t) is complex and __numpy_isnan(t))", GuardClass::kFloat, "t", "nan"),
      Code("not math.isnan(L['t'])", GuardClass::kFloat, "L['t']"),
      Code("L['self'].training == True", GuardClass::kBool, "L['self'].training", "True"),
      Code("flag == False", GuardClass::kBool, "flag", "False"),
      Code("flag is True", GuardClass::kBool, "flag", "True"),
      Code("self.mode == 'sum'", GuardClass::kStr, "self.mode", "'sum'"),
      Code(R"(o == 'it\'s # "q" \\ done')", GuardClass::kStr, "o", R"('it\'s # "q" \\ done')"),
      Code("top_k is None", GuardClass::kNone, "top_k", "None"),
      Code("top_k == None", GuardClass::kNone, "top_k", "None"),
      Code("L['mask'] is not None", GuardClass::kNone, "L['mask']"),
      Code("L['mask'] != None", GuardClass::kNone, "L['mask']"),
      Code("a == torch.float32", GuardClass::kDtype, "a", "torch.float32"),
      Code("L['x'].dtype == torch.bfloat16", GuardClass::kDtype, "L['x'].dtype", "torch.bfloat16"),
      Code("a == dtype('float32')", GuardClass::kDtype, "a", "dtype('float32')"),
      Code("a == device(type='cuda', index=0)", GuardClass::kDevice, "a",
           "device(type='cuda', index=0)"),
      Code("str(L['x'].device) == 'cpu'", GuardClass::kDevice, "L['x'].device", "'cpu'"),
      Code("L['x'].requires_grad == True", GuardClass::kRequiresGrad, "L['x']", "True"),
      Code("L['x'].ndimension() == 2", GuardClass::kNdim, "L['x']", "2"),
      Code("L['ks'].raw_repr() == DispatchKeySet(CPU).raw_repr()", GuardClass::kDispatchKeys,
           "L['ks']"),
      // Values without a class of their own.
      Code("a == torch.strided", GuardClass::kOther, "a", "torch.strided"),
      Code("a == (1+2j)", GuardClass::kOther, "a", "(1+2j)"),
      Code("dims == (0, n)", GuardClass::kOther, "dims", "(0, n)"),
      Code("a == {1, 2}", GuardClass::kOther, "a", "{1, 2}"),
      Code("a == [1]", GuardClass::kOther, "a", "[1]"),
      Code("a == <Mode.FAST: 1>", GuardClass::kOther, "a", "<Mode.FAST: 1>"),
      Code("a == Mode.FAST", GuardClass::kOther, "a", "Mode.FAST"),
      Code("a == slice(0, 2, None)", GuardClass::kOther, "a", "slice(0, 2, None)"),
      Code("___normalize_range_iter(a) == (0, 3, 1)", GuardClass::kOther, "a", "(0, 3, 1)"),
      Code("___normalize_count_iter(a) == (1, 1)", GuardClass::kOther, "a", "(1, 1)"),
  };
}

std::vector<Sample> RelationSamples() {
  return {
      Code("2 <= x.size()[0]", GuardClass::kZeroOne, "x", "", 0),
      Code("2 <= L['x'].size()[1]", GuardClass::kZeroOne, "L['x']", "", 1),
      Code("Le(2, L['x'].size()[1])", GuardClass::kZeroOne, "L['x']", "", 1),
      Code("2 <= x.size()[0] <= 2147483647", GuardClass::kZeroOne, "x", "", 0),
      Code("(n*x.size()[0]*(x.size()[2] // n)) != (n*(x.size()[2] // n))", GuardClass::kZeroOne,
           "x", "", 0),
      Code("(n*x.size()[0]) != (n*y.size()[0])", GuardClass::kSymbolic),
      Code("2 <= x.size()[0] <= 7", GuardClass::kSymbolic, "x", "", 0),
      Code("2 <= x.size()[0] and x.size()[0] <= 10", GuardClass::kSymbolic, "x", "", 0),
      Code("2 <= n", GuardClass::kSymbolic, "n"),
      Code("L['x'].size()[0] <= 10", GuardClass::kSymbolic, "L['x']", "", 0),
      Code("0 <= n <= 20", GuardClass::kSymbolic, "n"),
      Code("n < 8.0", GuardClass::kSymbolic, "n"),
      Code("n != 3", GuardClass::kSymbolic, "n"),
      Code("x.size()[0] == 8", GuardClass::kSymbolic, "x", "8", 0),
      Code("8 == x.size()[0]", GuardClass::kSymbolic, "x", "8", 0),
      Code("Eq(L['x'].size()[0], 8)", GuardClass::kSymbolic, "L['x']", "8", 0),
      Code("x.size()[0] != 8", GuardClass::kSymbolic, "x", "", 0),
      Code("(x.size()[0] % 2) == 0", GuardClass::kSymbolic, "x", "", 0),
      Code("((L['x'].size()[0] % 8)) != 0", GuardClass::kSymbolic, "L['x']", "", 0),
      Code("Ne(Mod(L['x'].size()[2], 8), 0)", GuardClass::kSymbolic, "L['x']", "", 2),
      Code("(x.size()[0] // 2) != 1", GuardClass::kSymbolic, "x", "", 0),
      Code("L['x'].size()[0] // 2 <= 4", GuardClass::kSymbolic, "L['x']", "", 0),
      Code("-x.size()[0] + 8 > 0", GuardClass::kSymbolic, "x", "", 0),
      Code("x.size()[0]**2 < 64", GuardClass::kSymbolic, "x", "", 0),
      Code("max(1, x.size()[0]) < 8", GuardClass::kSymbolic, "x", "", 0),
      Code("math.floor(torch.sym_float(x.size()[0])*0.5) == 4", GuardClass::kSymbolic, "x", "", 0),
      Code("x.stride()[1] == 1", GuardClass::kSymbolic, "x", "1", 1),
      Code("x.storage_offset() == 4", GuardClass::kSymbolic, "x", "4"),
      Code("b.size()[0] == a.size()[0]", GuardClass::kSymbolic),
      Code("y.size()[0] == 2*x.size()[0]", GuardClass::kSymbolic),
      Code("y.size()[0] + x.size()[0] < 8", GuardClass::kSymbolic),
      Code("L['n'] == L['m']", GuardClass::kSymbolic),
      Code("n == 2*m + 1", GuardClass::kSymbolic),
      Code("n == (m // 2)", GuardClass::kSymbolic),
      Code("n == x.size()[0]", GuardClass::kSymbolic),
      Code("self.width == x.size()[0]", GuardClass::kSymbolic),
      // A number of a submodule is a setting.
      Code("(h.size()[2] // (2*self._modules['pos'].patch)) != 0", GuardClass::kSymbolic, "h", "",
           2),
      Code("self._modules['pos'].patch <= h.size()[1]", GuardClass::kSymbolic, "h", "", 1),
      Code("self._modules['pos'].patch < self._modules['pos'].width", GuardClass::kSymbolic),
      // A view and its base.
      Code("x._base.size()[0] == x.size()[0]", GuardClass::kSymbolic, "x", "", 0),
      Code("x._base.size()[0] == y.size()[0]", GuardClass::kSymbolic),
      // One tensor, two dims.
      Code("t.stride()[0] == t.size()[1]", GuardClass::kSymbolic, "t"),
      Code("Shape guard failed with values: 3,4", GuardClass::kSymbolic),
  };
}

std::vector<Sample> ContainerSamples() {
  return {
      Code("len(xs) == 3", GuardClass::kLength, "xs", "3"),
      Code("len(G['net']._modules) != 3", GuardClass::kLength, "G['net']._modules", "3"),
      Code("not G['stats']", GuardClass::kLength, "G['stats']", "0"),
      Code("___tuple_iterator_len(a) == 3", GuardClass::kLength, "a", "3"),
      Code("KeyError on cfg['bias']", GuardClass::kKeys, "cfg['bias']"),
      Code("IndexError on L['xs'][3]", GuardClass::kKeys, "L['xs'][3]"),
      Code("IndexError TupleIteratorGetItemAccessor(2)", GuardClass::kKeys),
      Code("getattr failed on source o.a", GuardClass::kKeys, "o.a"),
      Code("___dict_contains('k', L['d'])", GuardClass::kKeys, "L['d']"),
      Code("not ___dict_contains('forward', L['self']._modules['a'].__dict__)", GuardClass::kKeys,
           "L['self']._modules['a'].__dict__"),
      Code("set.__contains__(self.flags, 'b')", GuardClass::kKeys, "self.flags"),
      Code("not set.__contains__(self.flags, 'b')", GuardClass::kKeys, "self.flags"),
      Code("'k' in L['d']", GuardClass::kKeys, "L['d']"),
      Code("'k' not in d", GuardClass::kKeys, "d"),
      Code("list(dict.keys(d)) == ['a', 'b']", GuardClass::kKeys, "d", "['a', 'b']"),
      Code("list(L['d'].keys()) == ['a']", GuardClass::kKeys, "L['d']", "['a']"),
      Code("set(L['d'].keys()) == {'a'}", GuardClass::kKeys, "L['d']", "{'a'}"),
      Code("str(L['d'].keys()) == \"dict_keys(['a'])\"", GuardClass::kKeys, "L['d']",
           "\"dict_keys(['a'])\""),
      Code("list(dict.keys(a))[0] == 'a'", GuardClass::kKeys, "a", "'a'"),
      Code("___key_to_id(L['d']) == {'a', 140}", GuardClass::kKeys, "L['d']"),
      Code("___dict_param_key_ids(L['d']) == {140, 141}", GuardClass::kKeys, "L['d']"),
      Code("___dict_const_keys(L['d']) == {'a'}", GuardClass::kKeys, "L['d']", "{'a'}"),
      Code("___dict_version(L['d']) == 31337", GuardClass::kKeys, "L['d']"),
      Code("{k for k, v in L['self'].named_parameters()} == {'w'}", GuardClass::kKeys, "L['self']",
           "{'w'}"),
      Code("hasattr(L['o'], 'a')", GuardClass::kKeys, "L['o']"),
      Code("not hasattr(o, 'a')", GuardClass::kKeys, "o"),
  };
}

std::vector<Sample> ObjectSamples() {
  return {
      Code("___check_tensors(L['x'], tensor_check_names=tensor_check_names)", GuardClass::kOther,
           "L['x']"),
      Code("___check_tensors(x)", GuardClass::kOther, "x"),
      Code("___check_tensors(x, y)", GuardClass::kOther),
      Code("___check_type_id(self, 360762944)", GuardClass::kType, "self"),
      Code("___check_type_id(opt, 94048967472208), type=<class '__main__.Opt'>", GuardClass::kType,
           "opt"),
      Code("___check_type_id(list(dict.keys(d))[0], 140)", GuardClass::kType,
           "list(dict.keys(d))[0]"),
      Code("___check_fake_script_type(L['q'], 94), type=<class 'Q'>", GuardClass::kType, "L['q']"),
      Code("type(L['x']) is int", GuardClass::kType, "L['x']"),
      Code("isinstance(L['x'], int)", GuardClass::kType, "L['x']"),
      Code("TYPE_MISMATCH(L['d'])", GuardClass::kType, "L['d']"),
      Code("Not a callable obj L['f']", GuardClass::kType, "L['f']"),
      Code("FuncDefaultsGuardAccessor: Not a function on L['f']", GuardClass::kType, "L['f']"),
      Code("CodeGuardAccessor: Not a function on fn.__code__", GuardClass::kType, "fn"),
      Code("not a tensorL['x']", GuardClass::kType, "L['x']"),
      Code("not a tensor - grad field is accessed L['x']", GuardClass::kType, "L['x']"),
      Code("___check_obj_id(mask_mod.__code__, 140030620899312)", GuardClass::kIdentity,
           "mask_mod.__code__"),
      Code("___check_obj_id(getattr(L['f'], '__code__', None), 140)", GuardClass::kIdentity,
           "getattr(L['f'], '__code__', None)"),
      Code("___check_obj_id(self, 140), type=Sequential(", GuardClass::kIdentity, "self"),
      Code("Cache line invalidated because L['kv'].key_cache[33] got deallocated",
           GuardClass::kIdentity, "L['kv'].key_cache[33]"),
      Code("Object 140 of type <class '__main__.M'> is weakref'd by this code, but has been "
           "finalized",
           GuardClass::kIdentity),
      Code("___guarded_code.valid", GuardClass::kIdentity),
      Code("G['ref']() is not None", GuardClass::kIdentity, "G['ref']()"),
      Code("Not a weakref L['r']", GuardClass::kIdentity, "L['r']"),
      Code("Not a weakref obj L['r']", GuardClass::kIdentity, "L['r']"),
      Code("L['x'].data_ptr() == 140", GuardClass::kIdentity, "L['x']"),
      Code("a is b", GuardClass::kAliasing),
      Code("L['a'] is not L['b']", GuardClass::kAliasing),
      Code("Duplicate tensors found: [\"a\", \"b\"]", GuardClass::kAliasing),
      Code("Duplicate tensor found where not expected!", GuardClass::kAliasing),
      Code("Duplicate tensor found where not expected! L['b']should not alias to anything, but is "
           "aliased",
           GuardClass::kAliasing, "L['b']"),
      Code("check_overlapping(overlapping=[a], non_overlapping=[b])", GuardClass::kAliasing),
      Code("check_no_aliasing(L['a'], L['b'])", GuardClass::kAliasing),
      Code("___check_no_aliasing(a, b)", GuardClass::kAliasing),
  };
}

std::vector<Sample> StateSamples() {
  std::vector<Sample> samples = {
      Code("___check_global_state()", GuardClass::kGlobalState),
      Code("___check_global_state() against {\"grad_mode\":true}", GuardClass::kGlobalState),
      Code("___check_torch_function_mode_stack()", GuardClass::kGlobalState),
      Code("utils_device.CURRENT_DEVICE == None", GuardClass::kGlobalState, "", "None"),
      Code("torch.autograd.forward_ad._current_level == 0", GuardClass::kGlobalState, "", "0"),
      Code("torch._functorch.pyfunctorch.compare_functorch_state([])", GuardClass::kGlobalState),
      Code("torch._functorch.aot_autograd.utils.top_saved_tensors_hooks ids == None",
           GuardClass::kGlobalState, "", "None"),
      Code("not ___is_grad_enabled()", GuardClass::kGlobalState),
      Code("___compile_config_hash() == 'd41d8'", GuardClass::kGlobalState, "", "'d41d8'"),
      Code("(___skip_backend_check() or ___current_backend() == ___lookup_backend(140))",
           GuardClass::kBackend),
      Code("GLOBAL_STATE changed:", GuardClass::kGlobalState),
  };
  samples.push_back(
      Code("GLOBAL_STATE changed: grad_mode autocast(cuda)_enabled", GuardClass::kGlobalState));
  samples.back().want.actual = "grad_mode autocast(cuda)_enabled";
  return samples;
}

std::vector<Sample> OtherSamples() {
  std::vector<Sample> samples = {
      Code("hasattr(L['x'], '_dynamo_dynamic_indices') == False", GuardClass::kOther, "L['x']"),
      Code("((L['x']._dynamo_dynamic_indices.issubset({0})) if hasattr(L['x'], "
           "'_dynamo_dynamic_indices') else True)",
           GuardClass::kOther, "L['x']", "{0}"),
      Code("_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time",
           GuardClass::kOther),
      Code("_dynamo_dynamic_indices not a subset: runtime {1} is not a subset of compiled {0}",
           GuardClass::kOther, "", "{0}"),
      Code("_dynamo_static_indices should be absent but is present on runtime tensor",
           GuardClass::kOther),
      Code("_dynamo_unbacked_bounds mismatch: expected {0: (2, 64)}", GuardClass::kOther, "",
           "{0: (2, 64)}"),
      Code("_dynamo_shape_ids expected {0: 'b'} but attribute is absent on runtime tensor",
           GuardClass::kOther, "", "{0: 'b'}"),
      Code("___check_metadata_140_c0/0", GuardClass::kOther),
      Code("__dtensor_spec_140", GuardClass::kOther, "__dtensor_spec_140"),
      Code("L['flag']", GuardClass::kOther, "L['flag']"),
      Code("Unexpected recompilation: runtime guards failed even though they passed during "
           "recompilation-reason analysis.",
           GuardClass::kOther),
      Code("'NoneType' object has no attribute 'shape'", GuardClass::kOther),
      Code("'<' not supported between instances of 'int' and 'NoneType'", GuardClass::kOther),
      Code("unsupported operand type(s) for +: 'int' and 'NoneType'", GuardClass::kOther),
  };
  samples[3].want.actual = "{1}";
  return samples;
}

// Every sample of a bare guard, for the properties below.
std::vector<Sample> AllSamples() {
  std::vector<Sample> all;
  for (const auto& samples :
       {TensorSamples(), ValueSamples(), RelationSamples(), ContainerSamples(), ObjectSamples(),
        StateSamples(), OtherSamples()}) {
    all.insert(all.end(), samples.begin(), samples.end());
  }
  return all;
}

TEST_CASE("guard classes have the names of the contract") {
  const std::vector<std::string_view> names = {
      "size",          "stride",   "ndim",         "dtype", "device", "requires_grad",
      "dispatch_keys", "symbolic", "zero_one",     "int",   "float",  "bool",
      "str",           "none",     "length",       "keys",  "type",   "identity",
      "aliasing",      "backend",  "global_state", "empty", "other"};
  REQUIRE(names.size() == kNumGuardClasses);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(GuardClassName(static_cast<GuardClass>(i)) == names[i]);
  }
}

TEST_CASE("a tensor check names tensor, dim and both values") { CheckSamples(TensorSamples()); }

TEST_CASE("a constant has the class of its value") { CheckSamples(ValueSamples()); }

TEST_CASE("a guard shows the Python type of what it is about", "[model]") {
  // As torch 2.13 prints the failed guard of each of these types; enums as 2.0 to 2.12 did.
  const std::pair<std::string_view, std::string_view> samples[] = {
      {"v == 1", "int"},
      {"v == -0.5", "float"},
      {"v == 1j", "complex"},
      {"v == (1+2j)", "complex"},
      {"v == True", "bool"},
      {"v is None", "none"},
      {"v == 'a'", "str"},
      {"v == b'a'", "bytes"},
      {"v == <Color.RED: 1>", "enum"},
      {"v == <Flag.A|B: 3>", "enum"},
      {"v == Color.RED", "enum"},
      {"v == torch.channels_last", "enum"},
      {"v == torch.strided", "enum"},
      {"v == torch.float32", "dtype"},
      {"v == dtype('float32')", "dtype"},
      {"v == device(type='cpu')", "device"},
      {"v == (0, 1)", "tuple"},
      {"v == ()", "tuple"},
      {"v == torch.Size([1, 2])", "tuple"},
      {"v == [1, 2]", "list"},
      {"v == {1, 2}", "set"},
      {"v == frozenset({1})", "set"},
      {"v == {}", "dict"},
      {"v == {'a:b': 1}", "dict"},
      {"v == {'a:b'}", "set"},
      {"v == range(0, 3)", "range"},
      {"v == slice(0, 2, None)", "range"},
      {"v == np.float32(1.0)", "float"},
      {"v == np.True_", "bool"},
      {"v == Cfg(n=1)", "object"},
      {"v == <app.Net object at 0x7f76dd2e1c10>", "object"},
      {"v == <class 'int'>", "class"},
      {"v == Ellipsis", "object"},
      {"(type(v) is float and __math_isnan(v))", "float"},
      {"(type(v) is complex and __numpy_isnan(v))", "complex"},
      {"tensor 'v' size mismatch at index 0. expected 2, actual 3", "tensor"},
      {"tensor 'v' dtype mismatch. expected Bool, actual Float", "tensor"},
      {"expected type of 'v' to be a tensor type, ' but found <enum 'Color'>", "tensor"},
      {"v.size()[0] % 8 == 0", "tensor"},
      {"___check_type_id(v, 140147039752704), type=<class 'float'>", "float"},
      {"___check_type_id(v, 140147039752704), type=<class 'torch.nn.modules.linear.Linear'>",
       "object"},
      {"___check_obj_id(v, 140146642691280), type=<class '__main__.Color'>", "object"},
      {"___check_obj_id(v, 140146642691280), type=<enum 'Color'>", "enum"},
      {"___check_obj_id(v, 140147039763680), type=<class 'int'>", "class"},
      {"___check_obj_id(v, 140147026412144), type=<class 'builtin_function_or_method'>",
       "function"},
      {"___check_obj_id(v.__code__, 140147033218832), type=<class 'code'>", "function"},
      {"___check_obj_id(v, 140146559354256), type=<class 'module'>", "module"},
      {"___dict_contains('a', v)", "dict"},
      {"list(dict.keys(v))[0] == 'a'", "dict"},
      // None of these shows the type.
      {"v is not None", ""},
      {"v is w", ""},
      {"len(v) == 2", ""},
      {"hasattr(v, 'weight')", ""},
      {"___check_obj_id(v, 140146642691280)", ""},
      {"v == FloorDiv(w, 2)", ""},
      {"v == N", ""},
      {"2 <= v", ""},
      {"___check_metadata_140223_c0(v)", ""},
  };
  for (const auto& [text, type] : samples) {
    INFO("reason: " << text);
    CHECK(PythonTypeName(ParseGuardFailure(text).value_type) == type);
  }
}

TEST_CASE("a relation on sizes is symbolic, with the source if there is only one") {
  CheckSamples(RelationSamples());
}

TEST_CASE("containers fail by length or by keys") { CheckSamples(ContainerSamples()); }

TEST_CASE("objects fail by type, identity or aliasing, and their ids are no values") {
  CheckSamples(ObjectSamples());
}

TEST_CASE("state outside of the function has no source") { CheckSamples(StateSamples()); }

TEST_CASE("a guard of no other class remains unchanged") { CheckSamples(OtherSamples()); }

TEST_CASE("the compile id of the entry is separated from the guard") {
  const auto entry_and_guard = [](std::string_view text) {
    const GuardFailure got = ParseGuardFailure(text);
    return std::string(got.entry) + "|" + std::string(got.guard);
  };
  CHECK(entry_and_guard("0/1: n == 1") == "0/1|n == 1");
  CHECK(entry_and_guard("10/12_3: n == 1") == "10/12_3|n == 1");
  CHECK(entry_and_guard("!0/3/0: n == 1") == "!0/3/0|n == 1");
  CHECK(entry_and_guard("!2: n == 1") == "!2|n == 1");
  CHECK(entry_and_guard("None: n == 1") == "|n == 1");
  CHECK(entry_and_guard("  - 0/1: n == 1  \r") == "0/1|n == 1");
  CHECK(entry_and_guard("* - \xe2\x80\xa2 n == 1") == "|n == 1");
  CHECK(entry_and_guard("0/1:n == 1") == "|0/1:n == 1");
  CHECK(entry_and_guard("3: n == 1") == "|3: n == 1");
  CHECK(entry_and_guard("-1 <= n") == "|-1 <= n");
}

TEST_CASE("a reason without text is empty") {
  for (std::string_view text :
       {"", "  ", "-", "None", "[]", "[None]", "Unable to find recompilation reasons"}) {
    INFO("reason: " << text);
    CHECK(ParseGuardFailure(text).guard_class == GuardClass::kEmpty);
    CHECK(ParseGuardFailure(text).entry.empty());
  }
  for (std::string_view text :
       {"0/0:", "0/0: ", "- 0/0:   ", "0/0: Unable to find recompilation reasons"}) {
    INFO("reason: " << text);
    CHECK(ParseGuardFailure(text).guard_class == GuardClass::kEmpty);
    CHECK(ParseGuardFailure(text).entry == "0/0");
  }
}

TEST_CASE("the lists of 2.0 and 2.1 give their first reason") {
  CheckSamples({
      {.text = "[\"tensor 'x' strides mismatch at index 0. expected 5, actual 6\"]",
       .want = {.guard = "tensor 'x' strides mismatch at index 0. expected 5, actual 6",
                .guard_class = GuardClass::kStride,
                .source = "x",
                .dim = 0,
                .expected = "5",
                .actual = "6"}},
      {.text = "[['___guarded_code.valid'], ['___guarded_code.valid']]",
       .want = {.guard = "___guarded_code.valid", .guard_class = GuardClass::kIdentity}},
      {.text = "['n == 3",
       .want =
           {.guard = "n == 3", .guard_class = GuardClass::kInt, .source = "n", .expected = "3"}},
  });
}

TEST_CASE("the trailing comment gives source line, place and hint") {
  const std::string hinted =
      "0/1: self.width == 3                      # return x * self.width  # mp/app/m.py:16 in "
      "forward" +
      std::string(kModuleIntHint);
  const std::string zero_one =
      "9/5: 2 <= x.size()[0]  # return F.linear(input, self.weight)  # nn/modules/linear.py:134 in "
      "forward" +
      std::string(kZeroOneNote);
  const std::string range =
      "0/0: 0 <= n <= 20  # y = x * n  # mp/app/a.py:5 in f (_dynamo/variables/tensor.py:26 in "
      "evaluate_expr) and if n > 20:  # mp/app/a.py:6 in g (_dynamo/variables/tensor.py:26 in "
      "evaluate_expr)";
  const std::string merged = "0/0: 2 <= x.size()[0] <= 7  # y = x * n  # a.py:5 in f" +
                             std::string(kZeroOneNote) + " and if x:  # a.py:6 in g (b.py:2 in h)";
  const Wanted width = {.entry = "0/1",
                        .guard = "self.width == 3",
                        .guard_class = GuardClass::kInt,
                        .source = "self.width",
                        .expected = "3",
                        .user_file = "mp/app/m.py",
                        .user_line = 16,
                        .user_function = "forward",
                        .code = "return x * self.width",
                        .hint = "allow_unspec_int_on_nn_module"};
  CheckSamples({
      {.text = hinted, .want = width},
      {.text = zero_one,
       .want = {.entry = "9/5",
                .guard = "2 <= x.size()[0]",
                .guard_class = GuardClass::kZeroOne,
                .source = "x",
                .dim = 0,
                .user_file = "nn/modules/linear.py",
                .user_line = 134,
                .user_function = "forward",
                .code = "return F.linear(input, self.weight)",
                .hint = "mark_unbacked"}},
      {.text = range,
       .want = {.entry = "0/0",
                .guard = "0 <= n <= 20",
                .guard_class = GuardClass::kSymbolic,
                .source = "n",
                .user_file = "mp/app/a.py",
                .user_line = 5,
                .user_function = "f",
                .code = "y = x * n"}},
      {.text = merged,
       .want = {.entry = "0/0",
                .guard = "2 <= x.size()[0] <= 7",
                .guard_class = GuardClass::kSymbolic,
                .source = "x",
                .dim = 0,
                .user_file = "a.py",
                .user_line = 5,
                .user_function = "f",
                .code = "y = x * n",
                .hint = "mark_unbacked"}},
      // Only a place; only a source line; a source line and a place that was trimmed.
      {.text = "utils_device.CURRENT_DEVICE == None      # _dynamo/output_graph.py:471 in "
               "init_ambient_guards",
       .want = {.guard = "utils_device.CURRENT_DEVICE == None",
                .guard_class = GuardClass::kGlobalState,
                .expected = "None",
                .user_file = "_dynamo/output_graph.py",
                .user_line = 471,
                .user_function = "init_ambient_guards"}},
      // A question that Inductor asked, without a line of the user.
      {.text = "0/0: 49152*x.size()[0] >= 5242880  # (_inductor/scheduler.py:388 in can_fuse)",
       .want = {.entry = "0/0",
                .guard = "49152*x.size()[0] >= 5242880",
                .guard_class = GuardClass::kSymbolic,
                .source = "x",
                .dim = 0,
                .user_file = "_inductor/scheduler.py",
                .user_line = 388,
                .user_function = "can_fuse"}},
      {.text = "len(L['ys']) == 2         # for y, z in zip(ys, zs):",
       .want = {.guard = "len(L['ys']) == 2",
                .guard_class = GuardClass::kLength,
                .source = "L['ys']",
                .expected = "2",
                .code = "for y, z in zip(ys, zs):"}},
      {.text = "0/0: len(b.lengths) == 26   # self.attention(  # block.py:250",
       .want = {.entry = "0/0",
                .guard = "len(b.lengths) == 26",
                .guard_class = GuardClass::kLength,
                .source = "b.lengths",
                .expected = "26",
                .user_file = "block.py",
                .user_line = 250,
                .code = "self.attention("}},
      // 2.2 writes "at".
      {.text = "L['x'].size()[0] <= 4  # at test.py:12 in f (_dynamo/guards.py:3 in g)",
       .want = {.guard = "L['x'].size()[0] <= 4",
                .guard_class = GuardClass::kSymbolic,
                .source = "L['x']",
                .dim = 0,
                .user_file = "test.py",
                .user_line = 12,
                .user_function = "f"}},
      // Drives, notebooks, lambdas.
      {.text = "n == 1          # f(n)  # C:\\my models\\a.py:7 in <lambda>",
       .want = {.guard = "n == 1",
                .guard_class = GuardClass::kInt,
                .source = "n",
                .expected = "1",
                .user_file = "C:\\my models\\a.py",
                .user_line = 7,
                .user_function = "<lambda>",
                .code = "f(n)"}},
      {.text = "n == 1          # f(n)  # <ipython-input-3-5d1>:7 in <module>",
       .want = {.guard = "n == 1",
                .guard_class = GuardClass::kInt,
                .source = "n",
                .expected = "1",
                .user_file = "<ipython-input-3-5d1>",
                .user_line = 7,
                .user_function = "<module>",
                .code = "f(n)"}},
      // The framework's own place is not the user's.
      {.text = "L['x'].stride()[0] == 4  # (_dynamo/variables/builder.py:3 in wrap)",
       .want = {.guard = "L['x'].stride()[0] == 4",
                .guard_class = GuardClass::kSymbolic,
                .source = "L['x']",
                .dim = 0,
                .expected = "4"}},
  });
}

TEST_CASE("a remark of torch is no source line") {
  CheckSamples({
      {.text = "b.size()[0] == a.size()[0]  # duck sizing added this equality because these "
               "variables had the same size 4 (to avoid this specialization, set "
               "torch.fx.experimental._config.use_duck_shape = False)",
       .want = {.guard = "b.size()[0] == a.size()[0]",
                .guard_class = GuardClass::kSymbolic,
                .hint = "use_duck_shape"}},
      {.text = "L['t'].stride()[0] == L['t'].size()[1]  # (unknown source L['t'].stride()[0], "
               "please file a bug)",
       .want = {.guard = "L['t'].stride()[0] == L['t'].size()[1]",
                .guard_class = GuardClass::kSymbolic,
                .source = "L['t']"}},
      {.text = "not math.isnan(t)  # implicit guard for float input due to NaN specialization in "
               "the framework",
       .want = {.guard = "not math.isnan(t)", .guard_class = GuardClass::kFloat, .source = "t"}},
      {.text = "x.size()[0] != 8  # exclusion guard for automatic dynamic",
       .want = {.guard = "x.size()[0] != 8",
                .guard_class = GuardClass::kSymbolic,
                .source = "x",
                .dim = 0}},
  });
}

TEST_CASE("a bound of two on a plain int is zero_one only if the comment says so") {
  const std::string noted = "2 <= n  # y = x * n  # a.py:5 in f" + std::string(kZeroOneNote);
  CHECK(ParseGuardFailure(noted).guard_class == GuardClass::kZeroOne);
  CHECK(ParseGuardFailure("2 <= n  # if n >= 2:  # a.py:5 in f").guard_class ==
        GuardClass::kSymbolic);
}

TEST_CASE("a # in a literal, a bracket or the source line does not end the wrong thing") {
  CheckSamples({
      {.text = "cfg['a # b'] == '# 3'  # y = x['# 4']  # see a.py:12 for it  # mp/m.py:25 in f",
       .want = {.guard = "cfg['a # b'] == '# 3'",
                .guard_class = GuardClass::kStr,
                .source = "cfg['a # b']",
                .expected = "'# 3'",
                .user_file = "mp/m.py",
                .user_line = 25,
                .user_function = "f",
                .code = "y = x['# 4']  # see a.py:12 for it"}},
      {.text = "a == [<Thing # 1>]  # y = a  # m.py:2 in f",
       .want = {.guard = "a == [<Thing # 1>]",
                .guard_class = GuardClass::kOther,
                .source = "a",
                .expected = "[<Thing # 1>]",
                .user_file = "m.py",
                .user_line = 2,
                .user_function = "f",
                .code = "y = a"}},
      // A source line of slices and dicts holds colons and numbers, yet no place.
      {.text = "n == 1   # y = {1:2 in x, 3:4}[a.b:5 in c]",
       .want = {.guard = "n == 1",
                .guard_class = GuardClass::kInt,
                .source = "n",
                .expected = "1",
                .code = "y = {1:2 in x, 3:4}[a.b:5 in c]"}},
  });
}

TEST_CASE("a hint is what torch proposes, not what the source line happens to call") {
  const auto hint = [](const std::string& text) { return ParseGuardFailure(text).hint; };
  CHECK(hint("self.n == 7               " + std::string(kModuleIntHint)) ==
        "allow_unspec_int_on_nn_module");
  CHECK(hint("self.n == 7 (HINT: torch.compile considers integer attributes of the nn.Module to") ==
        "allow_unspec_int_on_nn_module");
  CHECK(hint("tensor 'w' size mismatch at index 0. expected 3, actual 1" +
             std::string(kParameterNote)) == "force_parameter_static_shapes");
  CHECK(hint("x.size()[0] == 3  # y = x (HINT: try TORCH_COMPILE_DYNAMIC_SOURCES=\"x\")") ==
        "dynamic_sources");
  CHECK(
      hint("x.size()[0] <= 3  # y = x  # a.py:1 in f (HINT: use torch._dynamo.mark_dynamic(x))") ==
      "mark_dynamic");
  CHECK(hint("x.size()[0] <= 3  # torch._dynamo.mark_dynamic(x, 0)  # a.py:1 in f").empty());
  CHECK(hint("fn.n == 1   # return x + i  # a.py:1 in f (HINT: guard on \"i\")").empty());
  // PyTorch pads other guards to 60 columns; this is the form of those on symbols.
  CHECK(hint("fn.n == 1  # return t[i]  # a.py:1 in f") == "needs_value");
  CHECK(hint("___check_type_id(o, 1), type=<class 'O'>  # if o:  # a.py:1 in f (HINT: type O)")
            .empty());
}

TEST_CASE("a sentence behind the values is no part of them") {
  // Somebody quoted the log and went on writing.
  const GuardFailure quoted =
      ParseGuardFailure("tensor 'x' size mismatch at index 0. expected 1, actual 3\" said the log");
  CHECK(quoted.actual == "3");
  CHECK(quoted.guard == "tensor 'x' size mismatch at index 0. expected 1, actual 3");
  const std::string text =
      "tensor 'self.p' dtype mismatch. expected Float, actual Half" + std::string(kParameterNote);
  const GuardFailure got = ParseGuardFailure(text);
  CHECK(got.guard == "tensor 'self.p' dtype mismatch. expected Float, actual Half");
  CHECK(got.expected == "Float");
  CHECK(got.actual == "Half");
}

TEST_CASE("of several guards of one entry the first decides") {
  CheckSamples({
      {.text = "0/0: L['n'] == 3      # y = n  # a.py:5 in f; len(L['xs']) == 2   # z  # b.py:6 in "
               "g (HINT: use torch._dynamo.mark_dynamic(x))",
       .want = {.entry = "0/0",
                .guard = "L['n'] == 3",
                .guard_class = GuardClass::kInt,
                .source = "L['n']",
                .expected = "3",
                .user_file = "a.py",
                .user_line = 5,
                .user_function = "f",
                .code = "y = n"}},
      {.text = "0/0: L['s'] == 'a; b'; L['n'] == 3",
       .want = {.entry = "0/0",
                .guard = "L['s'] == 'a; b'",
                .guard_class = GuardClass::kStr,
                .source = "L['s']",
                .expected = "'a; b'"}},
      {.text =
           "tensor 'x' size mismatch at index 0. expected 8, actual 6; tensor 'y' rank mismatch",
       .want = {.guard = "tensor 'x' size mismatch at index 0. expected 8, actual 6",
                .guard_class = GuardClass::kSize,
                .source = "x",
                .dim = 0,
                .expected = "8",
                .actual = "6"}},
  });
}

TEST_CASE("the user's stack behind a reason is not read") {
  const Wanted want = {.entry = "0/2",
                       .guard = "opt is None",
                       .guard_class = GuardClass::kNone,
                       .source = "opt",
                       .expected = "None",
                       .user_file = "m.py",
                       .user_line = 19,
                       .user_function = "f",
                       .code = "if opt is None:"};
  CheckSamples({
      {.text = "0/2: opt is None   # if opt is None:  # m.py:19 in f\nUser stack trace:\n  File "
               "\"/tmp/m.py\", line 19, in f",
       .want = want},
      {.text = "0/2: opt is None   # if opt is None:  # m.py:19 in f User stack trace:   File "
               "\"/tmp/m.py\", line 19, in f",
       .want = want},
  });
}

TEST_CASE("a failed backend check names both backends") {
  CheckSamples({
      {.text =
           "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached "
           "backend: m.first defined at /m.py:3 (id=0x1). New backend: m.second defined at "
           "/m.py:9 (id=0x2). If this is unexpected, wrap your backend in functools.partial (or "
           "reuse the same cached backend) to avoid creating a new backend function each time.",
       .want = {.guard = "BACKEND_MATCH failure: torch.compile detected different backend "
                         "callables. Cached backend: m.first defined at /m.py:3 (id=0x1). New "
                         "backend: m.second defined at /m.py:9 (id=0x2).",
                .guard_class = GuardClass::kBackend,
                .expected = "m.first defined at /m.py:3 (id=0x1)",
                .actual = "m.second defined at /m.py:9 (id=0x2)",
                .hint = "functools.partial"}},
      {.text = "BACKEND_MATCH failure: torch.compile detected different backend callables. If this "
               "is unexpected, wrap your backend in functools.partial (or reuse the same cached "
               "backend) ...",
       .want = {.guard = "BACKEND_MATCH failure: torch.compile detected different backend "
                         "callables.",
                .guard_class = GuardClass::kBackend,
                .hint = "functools.partial"}},
  });
}

TEST_CASE("device indices that were printed as characters are read as numbers") {
  using namespace std::string_view_literals;
  const auto device = [](std::string_view expected, std::string_view actual) {
    std::string text = "tensor 'x' Tensor device index mismatch. Expected device index to be ";
    text.append(expected).append(", actual ").append(actual);
    const GuardFailure got = ParseGuardFailure(text);
    CHECK(got.guard_class == GuardClass::kDevice);
    return std::string(got.expected) + " " + std::string(got.actual);
  };
  CHECK(device("\0"sv, "\x01"sv) == "0 1");
  CHECK(device("\x07"sv, "\xff"sv) == "7 -1");
  CHECK(device("\xef\xbf\xbd"sv, "\0"sv) == "-1 0");
  CHECK(device("0", "3") == "0 3");
}

TEST_CASE("cut text gives what can be read of it") {
  CheckSamples({
      Code("tensor 'x' size mismatch at ind", GuardClass::kSize, "x"),
      Code("tensor 'x' size mismatch", GuardClass::kSize, "x"),
      Code("tensor 'key' requires_grad mismatch", GuardClass::kRequiresGrad, "key"),
      Code("tensor 'x' size mismatch at index 1. expected 3", GuardClass::kSize, "x", "3", 1),
      Code("tensor 'x'", GuardClass::kOther, "x"),
      Code("tensor 'cache.ke", GuardClass::kOther),
      Code("expected type of 'x' to be a tensor type", GuardClass::kType, "x"),
      Code("expected type of 'x", GuardClass::kType),
      Code("___check_obj_id(mask_mod.__code__, 1400306", GuardClass::kIdentity,
           "mask_mod.__code__"),
      Code("___check_obj_id(mask_mod.__co", GuardClass::kIdentity),
      Code("len(boundaries.seq", GuardClass::kLength),
      Code("len(xs) ==", GuardClass::kLength, "xs"),
      Code("self.n ==", GuardClass::kOther, "self.n"),
      Code("self.mode == 'su", GuardClass::kStr, "self.mode", "'su"),
      Code("Cache line invalidate$", GuardClass::kIdentity),
      Code("Cache line invalidate because L['a'] got deallocated", GuardClass::kIdentity, "L['a']"),
      Code("2 <=", GuardClass::kSymbolic),
      Code("not ___dict_contains('bi", GuardClass::kKeys),
      Code("not ___dict_contains('bias')", GuardClass::kKeys),
  });
}

// Whether `part` lies within `whole`, or is text that outlives it.
bool IsWithin(std::string_view part, std::string_view whole) {
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const auto first = reinterpret_cast<uintptr_t>(whole.data());
  return begin >= first && begin + part.size() <= first + whole.size();
}

// Reads a copy of `text` at the end of a heap block of its own, where a sanitizer sees one byte too
// many, and checks what must hold for any text.
void CheckProperties(std::string_view text) {
  const std::vector<char> block(text.begin(), text.end());
  const std::string_view copy(block.data(), block.size());
  const GuardFailure got = ParseGuardFailure(copy);
  bool fine = true;
  for (std::string_view part : {got.entry, got.guard, got.source, got.user_file, got.user_function,
                                got.code, got.actual, got.expected, got.hint}) {
    fine = fine && part.size() <= std::max<size_t>(copy.size(), 40);
    // No part has blanks at its edges.
    if (!part.empty()) fine = fine && part.front() != ' ' && part.back() != ' ';
  }
  for (std::string_view part :
       {got.entry, got.guard, got.source, got.user_file, got.user_function, got.code}) {
    fine = fine && (part.empty() || IsWithin(part, copy));
  }
  fine = fine && got.dim >= -1 && static_cast<size_t>(got.guard_class) < kNumGuardClasses;
  fine = fine && (got.guard_class == GuardClass::kEmpty || !got.guard.empty() ||
                  copy.find_first_of("#;(") != std::string_view::npos);
  INFO("reason: " << text.substr(0, 400));
  if (!fine) CHECK(fine);
}

std::vector<std::string> LongSamples() {
  std::vector<std::string> texts;
  for (const Sample& sample : AllSamples()) {
    texts.push_back("0/1: " + std::string(sample.text) +
                    "      # y = x['#'] (1)  # mp/m.py:25 in f" + std::string(kZeroOneNote) +
                    std::string(kModuleIntHint));
    texts.push_back(std::string(sample.text) + std::string(kParameterNote));
  }
  return texts;
}

TEST_CASE("a text cut at any byte is read within its bounds") {
  for (const std::string& text : LongSamples()) {
    for (size_t size = 0; size <= text.size(); ++size) {
      CheckProperties(std::string_view(text).substr(0, size));
    }
  }
}

TEST_CASE("the comment behind a guard changes nothing of what the guard says") {
  for (const Sample& sample : AllSamples()) {
    // Sentences of C++ guards have no comment.
    if (ParseGuardFailure(sample.text).guard != sample.text) continue;
    if (sample.text.find("ensor") != std::string_view::npos) continue;
    if (sample.text.ends_with('(')) continue;
    INFO("reason: " << sample.text);
    const std::string text = "3/2: " + std::string(sample.text) + "     # y = x  # mp/m.py:25 in f";
    const GuardFailure got = ParseGuardFailure(text);
    CHECK(got.guard == sample.text);
    CHECK(GuardClassName(got.guard_class) == GuardClassName(sample.want.guard_class));
    CHECK(got.source == sample.want.source);
    CHECK(got.expected == sample.want.expected);
    CHECK(got.user_line == 25);
    CHECK(got.code == "y = x");
  }
}

TEST_CASE("any bytes are read within their bounds") {
  std::mt19937 random(42);
  // Mostly bytes that mean something here, and pieces of real texts.
  constexpr std::string_view kBytes = "#'\"()[]{}<>=!;:.,-+*/% \\\t\n\r_0129abinoLGE\xff\x80";
  const std::vector<std::string> samples = LongSamples();
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    const size_t pieces = random() % 12;
    for (size_t piece = 0; piece < pieces; ++piece) {
      if (random() % 3 == 0) {
        const std::string& sample = samples[random() % samples.size()];
        const size_t begin = random() % sample.size();
        text += sample.substr(begin, random() % 40);
      } else {
        for (size_t n = random() % 10; n > 0; --n) text += kBytes[random() % kBytes.size()];
      }
    }
    CheckProperties(text);
  }
}

TEST_CASE("hostile nesting and repetition take time linear in the text") {
  const auto repeat = [](std::string_view unit) {
    std::string text;
    while (text.size() < 400'000) text += unit;
    return text;
  };
  const auto start = std::chrono::steady_clock::now();
  for (std::string_view unit : {"(",
                                "[",
                                "'",
                                "\"'",
                                "\\'",
                                "a(",
                                "a[",
                                "not ",
                                "# ",
                                "# a.py:1 ",
                                ":1 in x",
                                "a.py:1 in b c ",
                                "tensor '",
                                "' ",
                                "Eq(",
                                "L['x'].size()[0] == ",
                                " and ",
                                "; ",
                                "(HINT: ",
                                "0/1: ",
                                "- ",
                                "[['",
                                "list(dict.keys(",
                                "x ",
                                "1",
                                "torch._dynamo.",
                                ")(",
                                "((a)"}) {
    const std::string repeated = repeat(unit);
    CheckProperties(repeated);
    CheckProperties("tensor '" + repeated);
    CheckProperties("n == 1  # " + repeated);
    CheckProperties("len(" + repeated + ") == 3");
  }
  // Some 45 MB; a quadratic scan of one text alone would need minutes.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

}  // namespace
}  // namespace shapewise
