// Sources as torch/_dynamo/source.py prints them in 2.0 to 2.13, in each spelling.

#include "model/source_ref.h"

#include "support/catch.h"

namespace shapewise {
namespace {

using Kind = SourceStep::Kind;
using Property = SourceRef::Property;
using Root = SourceRef::Root;

TEST_CASE("a source is taken apart", "[model]") {
  const SourceRef source =
      ParseSource("L['self']._modules['k']._parameters['w'].rules[0]['size'].size()[1]");
  CHECK(source.root == Root::kSelf);
  CHECK(source.name == "self");
  REQUIRE(source.path.size() == 5);
  CHECK(source.path[0].kind == Kind::kModule);
  CHECK(source.path[0].name == "k");
  CHECK(source.path[1].kind == Kind::kTensor);
  CHECK(source.path[2].kind == Kind::kAttribute);
  CHECK(source.path[2].name == "rules");
  CHECK(source.path[3].kind == Kind::kIndex);
  CHECK(source.path[3].name == "0");
  CHECK(source.path[4].kind == Kind::kKey);
  CHECK(source.property == Property::kSize);
  CHECK(source.dim == 1);
  CHECK(source.object == "L['self']._modules['k']._parameters['w'].rules[0]['size']");
  CHECK(source.LastName() == "size");
}

TEST_CASE("the root of a source", "[model]") {
  const auto [text, root] = GENERATE(table<std::string, Root>({
      {"L['x']", Root::kArgument},
      {"x", Root::kArgument},
      {"self.width", Root::kSelf},
      {"self_attn.width", Root::kArgument},
      {"G['step']", Root::kGlobal},
      {"___stack0", Root::kTemporary},
      {"L['___stack0']", Root::kTemporary},
      {"L['.0']", Root::kTemporary},
      {"SYNTHETIC_LOCAL['x']", Root::kTemporary},
      {"___from_numpy(L['x'])", Root::kCall},
      {"type(L['self']).forward", Root::kCall},
      {"", Root::kNone},
      {"3", Root::kNone},
      {"L['x", Root::kNone},
      {"max(x, y)", Root::kNone},
      {"x == 3", Root::kNone},
      {"x;y", Root::kNone},
  }));
  CAPTURE(text);
  CHECK(ParseSource(text).root == root);
}

TEST_CASE("the property of a source", "[model]") {
  const auto [text, property, object, dim] =
      GENERATE(table<std::string, Property, std::string, int>({
          {"L['n']", Property::kValue, "L['n']", -1},
          {"x.size()[0]", Property::kSize, "x", 0},
          {"self.w.stride()[12]", Property::kStride, "self.w", 12},
          {"L['x'].storage_offset()", Property::kStorageOffset, "L['x']", -1},
          {"x.dim()", Property::kNumDims, "x", -1},
          {"len(L['xs'])", Property::kLength, "L['xs']", -1},
          {"list(dict.keys(L['d']))", Property::kKeys, "L['d']", -1},
          {"list(dict.keys(L['d']))[2]", Property::kKey, "L['d']", 2},
          {"type(L['x'])", Property::kType, "L['x']", -1},
          {"list(dict.keys(d))[0].name", Property::kValue, "list(dict.keys(d))[0].name", -1},
          {"x.size()[*]", Property::kSize, "x", -1},
          {"x.size()[-1]", Property::kValue, "x.size()[-1]", -1},
          {"x.size()[99999999999]", Property::kValue, "x.size()[99999999999]", -1},
          {"L['x", Property::kValue, "L['x", -1},
      }));
  CAPTURE(text);
  const SourceRef source = ParseSource(text);
  CHECK(source.property == property);
  CHECK(source.object == object);
  CHECK(source.dim == dim);
}

TEST_CASE("the sources of an expression are found", "[model]") {
  const std::vector<SourceRef> sources =
      FindSources("Eq(Mod(L['x'].size()[0], 2*y.size()[1]), 0) and not math.isnan(L['t'])", 8);
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].object == "L['x']");
  CHECK(sources[1].object == "y");
  CHECK(sources[1].dim == 1);
  CHECK(sources[2].object == "L['t']");
  CHECK(FindSources("a == b == c", 2).size() == 2);
}

TEST_CASE("a source reads as its user would write it", "[model]") {
  const auto [source, python] = GENERATE(table<std::string, std::string>({
      {"L['x']", "x"},
      {"L[\"x\"]", "x"},
      {"G['step']", "step"},
      {"G['__import_torch_dot_nn_dot_functional']", "torch.nn.functional"},
      {"L['xs'][0]", "xs[0]"},
      {"L['kwargs']['input_ids']", "kwargs['input_ids']"},
      {"kwargs['input_ids']", "kwargs['input_ids']"},
      {"L['cfg'][L['key']]", "cfg[key]"},
      {"self._modules['a']._parameters['w']", "self.a.w"},
      {"L['self']._modules['layers']._modules['0']._buffers['mask']", "self.layers[0].mask"},
      {"L['self'].__dict__['width']", "self.width"},
      {"L['self'].layers[3].idx", "self.layers[3].idx"},
      {"L['fn'].__defaults__[0]", "fn.__defaults__[0]"},
      {"x", "x"},
      {"", ""},
  }));
  CAPTURE(source);
  CHECK(SpellSources(source, SourceSpelling::kPython) == python);
}

TEST_CASE("text of no known form stays as it is", "[model]") {
  const std::string source = GENERATE(as<std::string>(), "L['.0']", "L['x", "L['", "L[", "L[x]",
                                      "['']", "ALL['x']", "self.L['x']", "self._modules['a b']",
                                      "self._modules", "___as_tensor(x)", "._modules['a']", "G['x");
  CAPTURE(source);
  CHECK(SpellSources(source, SourceSpelling::kPython) == source);
  CHECK(SpellSources(source, SourceSpelling::kReason) == source);
}

TEST_CASE("names for comparison keep globals apart from locals", "[model]") {
  CHECK(NameOfSource("L['batch']['ids'].data[0]") == "batch['ids'].data[0]");
  CHECK(NameOfSource(R"(L["x"]["y"])") == "x['y']");
  CHECK(NameOfSource("L['self']._modules['l']._parameters['weight']") == "self.l.weight");
  CHECK(NameOfSource("G['x']") == "G['x']");
}

TEST_CASE("reasons print locals by their bare names", "[model]") {
  const auto spell = [](std::string_view text) {
    return SpellSources(text, SourceSpelling::kReason);
  };
  CHECK(spell("L[\"x\"].weight") == "x.weight");
  CHECK(spell("L['cfg'][\"scale\"]") == "cfg['scale']");
  CHECK(spell("f(L['a'], L['b'])") == "f(a, b)");
  CHECK(spell("SYNTHETIC_LOCAL['x']") == "SYNTHETIC_LOCAL['x']");
  CHECK(spell("L['self']._modules['a'].w.size()[1] + L[\"n\"]") ==
        "self._modules['a'].w.size()[1] + n");
  CHECK(spell("x.shape[2]") == "x.size()[2]");
}

TEST_CASE("Dynamo's own spelling", "[model]") {
  CHECK(DynamoSource("x") == "L['x']");
  CHECK(DynamoSource("L['x']") == "L['x']");
  CHECK(DynamoSource("cfg[\"scale\"]") == "L['cfg']['scale']");
  CHECK(DynamoSource("self.width") == "L['self'].width");
  CHECK(DynamoSource("G['net']._modules") == "G['net']._modules");
  CHECK(DynamoSource("len(xs) <= max(n, 2)") == "len(L['xs']) <= max(L['n'], 2)");
  CHECK(DynamoSource("[0]") == "[0]");
  CHECK(DynamoSource("").empty());
}

TEST_CASE("users can write what is no invention of Dynamo", "[model]") {
  for (const std::string_view text : {"x", "self.layers[3].idx", "kwargs['ids']", "k[\"a-b\"][-1]",
                                      "L['self']._modules['a'].w"}) {
    CAPTURE(text);
    CHECK(IsWritable(ParseSource(text)));
  }
  for (const std::string_view text :
       {"", "___stack0", "fn.__closure__[0].cell_contents", "s.start", "L['.0']", "len(x)", "x;y",
        "x = 1", "x#y", "x[`id`]", "x\ny", "x.size()[0]", "self._modules['a b'].w"}) {
    CAPTURE(text);
    CHECK_FALSE(IsWritable(ParseSource(text)));
  }
}

// What Dynamo 2.13 accepts as a dynamic source was tried with each spelling.
TEST_CASE("callers pass arguments and their parts, but no parts of modules", "[model]") {
  for (const std::string_view text : {"x", "L['l'][1]", "L['d'][\"a\"]", "batch.ids[0]"}) {
    CAPTURE(text);
    CHECK(IsCallersArgument(ParseSource(text)));
  }
  for (const std::string_view text :
       {"self.width", "L['self'].n", "G['step']", "___stack0", "fn.__defaults__[0]", "s.stop",
        "self._modules['a'].n", "m._modules['a'].n", "x.$HOME", "L['x']$(id)", "L['x`id`']",
        "L['d']['a\\']", "L['d']['a\n']"}) {
    CAPTURE(text);
    CHECK_FALSE(IsCallersArgument(ParseSource(text)));
  }
}

TEST_CASE("hostile sources are read in linear time", "[model]") {
  std::string text = "x";
  for (int i = 0; i < 100'000; ++i) text += "[list(len(";
  CHECK(ParseSource(text).root == Root::kNone);
  CHECK(SpellSources(text, SourceSpelling::kPython) == text);
  CHECK(FindSources(text, 8).size() <= 8);
}

}  // namespace
}  // namespace shapewise
