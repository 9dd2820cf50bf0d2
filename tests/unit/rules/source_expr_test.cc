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

}  // namespace
}  // namespace shapewise
