#include "rules/source_expr.h"

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("a source reads as its user would write it", "[rules]") {
  const auto [source, expr] = GENERATE(table<std::string, std::string>({
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
  CHECK(SourceExpr(source) == expr);
}

TEST_CASE("a source of no known form stays as it is", "[rules]") {
  const std::string source =
      GENERATE(as<std::string>(), "L['.0']", "L['x", "L[", "ALL['x']", "self.L['x']",
               "self._modules['a b']", "self._modules", "___as_tensor(x)", "._modules[");
  CHECK(SourceExpr(source) == source);
}

// What Dynamo 2.13 accepts was tried with each spelling: one compile instead of two.
TEST_CASE("a dynamic source is spelled as Dynamo names it", "[rules]") {
  const auto [source, spelled] = GENERATE(table<std::string, std::string>({
      {"x", "L['x']"},
      {"L['x']", "L['x']"},
      {"l[1]", "L['l'][1]"},
      {"L['l'][1]", "L['l'][1]"},
      {"d['a']", "L['d']['a']"},
      {"L['d'][\"a\"]", "L['d']['a']"},
      {"o.x", "L['o'].x"},
      {"batch.ids[0]", "L['batch'].ids[0]"},
  }));
  CAPTURE(source);
  CHECK(DynamicSource(source) == spelled);
}

TEST_CASE("what the setting does nothing for is no dynamic source", "[rules]") {
  const std::string source =
      GENERATE(as<std::string>(), "", "self.width", "L['self'].n", "G['step']", "___stack0",
               "fn.__closure__[0].cell_contents", "fn.__defaults__[0]", "x.size()[0]", "s.stop",
               "self._modules['a'].n", "L['x", "m._modules['a'].n", "x[`id`]", "x.$HOME",
               "L['d']['a\\']", "L['d']['a\n']");
  CAPTURE(source);
  CHECK(DynamicSource(source).empty());
}

TEST_CASE("an expression is writable unless only Dynamo can name it", "[rules]") {
  for (const std::string_view expr :
       {"x", "self.layers[3].idx", "kwargs['ids']", "k[\"a-b\"][-1]"}) {
    CHECK(IsWritable(expr));
  }
  for (const std::string_view expr :
       {"", "___stack0", "fn.__closure__[0].cell_contents", "s.start", "L['.0']", "len(x)", "x;y",
        "x = 1", "x#y", "x[`id`]", "x\ny"}) {
    CHECK_FALSE(IsWritable(expr));
  }
}

}  // namespace
}  // namespace shapewise
