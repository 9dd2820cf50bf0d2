// What a line of user code does with a value decides whether it can be a tensor.

#include "causes/value_use.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/source_ref.h"
#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("a use is found by the last name of the source", "[causes]") {
  CHECK(FindUse("return x * self.scale", "self.scale") == ValueUse::kArithmetic);
  CHECK(FindUse("y = x + n", "L['n']") == ValueUse::kArithmetic);
  CHECK(FindUse("for i in range(self.steps):", "self.steps") == ValueUse::kRange);
  CHECK(FindUse("for i in range(0, len(x) * n):", "L['n']") == ValueUse::kRange);
  CHECK(FindUse("for name in self.names:", "self.names") == ValueUse::kRange);
  CHECK(FindUse("for _ in range(n):", "f.__closure__[0].cell_contents") == ValueUse::kRange);
  CHECK(FindUse("x = x.view(x.shape[0], heads, -1)", "L['heads']") == ValueUse::kSize);
  CHECK(FindUse("y = torch.zeros(n + 1, device=x.device)", "L['n']") == ValueUse::kSize);
  CHECK(FindUse("y = self.layers[self.idx](x)", "self.idx") == ValueUse::kIndex);
  CHECK(FindUse("if mode == 3:", "L['mode']") == ValueUse::kBranch);
  CHECK(FindUse("if step % 10 == 0:", "L['args'][3]") == ValueUse::kBranch);
  CHECK(FindUse("y = x * step", "L['args'][3]") == ValueUse::kUnknown);
  CHECK(FindUse("y = a if flag else b", "L['flag']") == ValueUse::kBranch);
}

TEST_CASE("a name within another, or in a call that says nothing, has no known use", "[causes]") {
  CHECK(FindUse("return scaled * 2", "L['scale']") == ValueUse::kUnknown);
  CHECK(FindUse("return f(x, scale)", "L['scale']") == ValueUse::kUnknown);
  CHECK(FindUse("pair = [x, scale]", "L['scale']") == ValueUse::kUnknown);
  CHECK(FindUse("", "L['scale']") == ValueUse::kUnknown);
  CHECK(FindUse("return x", "") == ValueUse::kUnknown);
  CHECK(FindUse("return F.avg_pool1d(x, s.window)", "s.window") == ValueUse::kConstant);
  CHECK(FindUse("return F.interpolate(x, size=size)", "size[0]") == ValueUse::kSize);
}

TEST_CASE("an argument of a call is a size, a position or neither", "[causes]") {
  CHECK(FindUse("x = torch.full((n, 2), 0.5)", "L['n']") == ValueUse::kSize);
  CHECK(FindUse("x = torch.full((2, 2), n)", "L['n']") == ValueUse::kUnknown);
  CHECK(FindUse("x = x.new_full((2, 2), fill_value=n)", "L['n']") == ValueUse::kUnknown);
  CHECK(FindUse("x = torch.roll(x, n)", "L['n']") == ValueUse::kSize);
  CHECK(FindUse("x = x.select(0, n)", "L['n']") == ValueUse::kSize);
  CHECK(FindUse("x = x.permute(n, 0)", "L['n']") == ValueUse::kIndex);
  CHECK(FindUse("x = F.conv_transpose2d(x, w, stride=n)", "L['n']") == ValueUse::kSize);
  CHECK(FindUse("x = self.thread_pool(x, n)", "L['n']") == ValueUse::kUnknown);
  CHECK(FindUse("x = self.attention_pool(x, n)", "L['n']") == ValueUse::kUnknown);
}

TEST_CASE("a bound of a slice may be a symbol, an item of several subscripts not", "[causes]") {
  CHECK(FindUse("k = self.k[layer, :, self.pos:self.pos + n]", "self.pos") == ValueUse::kSize);
  CHECK(FindUse("return self.pe[: self.pos]", "self.pos") == ValueUse::kSize);
  CHECK(FindUse("return self.pe[0, self.pos]", "self.pos") == ValueUse::kIndex);
  CHECK(FindUse("return self.pe[f(self.pos), a[b:c]]", "self.pos") == ValueUse::kIndex);
  CHECK(FindUse("for block in self.blocks[: self.depth]:", "self.depth") == ValueUse::kRange);
  CHECK(FindUse("x = torch.chunk(x, self.parts)", "self.parts") == ValueUse::kConstant);
}

TEST_CASE("of several uses the one counts that needs a constant", "[causes]") {
  CHECK(FindUse("x = x.view(n, -1) * n", "L['n']") == ValueUse::kSize);
  // A line of thousands of names is read in part.
  std::string code = "y = n";
  for (int i = 0; i < 100'000; ++i) code += " + n";
  CHECK(FindUse(code, "L['n']") == ValueUse::kArithmetic);
}

TEST_CASE("functions of math that take the value are named with those of tensors", "[causes]") {
  std::set<std::string_view> functions;
  AddMathCalls("c = 1 / math.sqrt(sigma ** 2) + math.exp(t)", "L['sigma']", functions);
  CHECK(TensorMathText(functions) == "torch.sqrt instead of math.sqrt");
  AddMathCalls("e = cmath.log(sigma) + math.fabs(f(sigma))", "L['sigma']", functions);
  CHECK(TensorMathText(functions) == "torch.abs, torch.sqrt instead of math.fabs, math.sqrt");
  AddMathCalls("n = math.ceil(sigma", "L['sigma']", functions);
  CHECK(TensorMathText(functions) ==
        "functions of torch instead of math.ceil, math.fabs, math.sqrt");
  CHECK(TensorMathText({}).empty());
}

TEST_CASE("targets of += are found in all statements of a line", "[causes]") {
  using Targets = std::vector<std::string_view>;
  CHECK(IncrementedTargets("s.calls += 1; s.stats['n'] += x.numel()") ==
        Targets{"s.calls", "s.stats['n']"});
  CHECK(IncrementedTargets("h = h + s.calls").empty());
  CHECK(IncrementedTargets("f(a) += 1; += 2").empty());
}

TEST_CASE("the item that a line appends to a list", "[causes]") {
  CHECK(AppendedItem("self.logps.append(logp)", ParseSource("logps")) == "logp");
  CHECK(AppendedItem("rows.append((k, f(v)))", ParseSource("rows")) == "(k, f(v))");
  CHECK(AppendedItem("self.samples.append(", ParseSource("samples")).empty());
  CHECK(AppendedItem("self.samples.append(w); self.n += 1", ParseSource("samples")).empty());
  CHECK(AppendedItem("self.samples.append(w)", ParseSource("logps")).empty());
  CHECK(AppendedItem("self.norms[name].append(x.norm())", ParseSource("m.norms['a.0']")) ==
        "x.norm()");
  CHECK(AppendedItem("norms.append(x)", ParseSource("m.norms['a.0']")).empty());
  CHECK(AppendedItem("seen.append(x)", ParseSource("f.__closure__[0].cell_contents")) == "x");
  CHECK(AppendedItem("return torch.stack(self.logps)", ParseSource("logps")).empty());
}

TEST_CASE("other variables in a condition", "[causes]") {
  using Names = std::vector<std::string_view>;
  CHECK(OtherOperands("if SWEEP % 5 == 0 and MODE == \"hot and cold\":", "SWEEP") == Names{"MODE"});
  CHECK(OtherOperands("while not self.step < cfg.warmup or self.step is None:", "step") ==
        Names{"cfg.warmup"});
  CHECK(OtherOperands("if step % 2 == 0 and flags[step] and x.any():", "step").empty());
  CHECK(OtherOperands("y = scale if step > warmup else 0", "step").empty());
}

TEST_CASE("a number of a tensor is used where it is read", "[causes]") {
  CHECK(FindUseOfItem("y = x[:, : n.item()]") == ValueUse::kSize);
  CHECK(FindUseOfItem("out = x.new_zeros(int(batch.max()) + 1, 8)") == ValueUse::kSize);
  CHECK(FindUseOfItem("for i in range(int(n)):") == ValueUse::kRange);
  CHECK(FindUseOfItem("G = int(batch.max()) + 1") == ValueUse::kSize);
  CHECK(FindUseOfItem("if x.max().item() > 3:") == ValueUse::kBranch);
  CHECK(FindUseOfItem("scale = x[0].abs().max().item()") == ValueUse::kUnknown);
  CHECK(FindUseOfItem("log(print(a))") == ValueUse::kUnknown);
}

TEST_CASE("code that takes another path where a value is missing", "[causes]") {
  CHECK(AsksPresence("if mask is not None:", "mask"));
  CHECK(AsksPresence("x = x if self.bias is None else x + self.bias", "bias"));
  CHECK(AsksPresence("if req.get(\"pixels\") is not None:", "pixels"));
  CHECK(AsksPresence("if req['pixels'] is None:", "pixels"));
  CHECK(AsksPresence("y = batch.get('mask')", "mask"));
  CHECK(AsksPresence("y = batch.pop('mask', None)", "mask"));
  CHECK(AsksPresence("if 'mask' not in batch:", "mask"));
  CHECK(AsksPresence("if hasattr(cfg, 'scale'):", "scale"));
  CHECK_FALSE(AsksPresence("y = x * batch.get('mask', 1)", "mask"));
  CHECK_FALSE(AsksPresence("y = x * batch['mask']", "mask"));
  CHECK_FALSE(AsksPresence("if masks is None:", "mask"));
  CHECK_FALSE(AsksPresence("for mask in masks:", "mask"));
  CHECK_FALSE(AsksPresence("if x is None:", ""));
}

TEST_CASE("flags for which a missing key stands", "[causes]") {
  CHECK(FlagDefault("if ctx.flags.get(\"l2norm\"):", "l2norm") == "False");
  CHECK(FlagDefault("if job.options.get('shift', True) and n > 1:", "shift") == "True");
  CHECK(FlagDefault("y = a if not cfg.get('x', None) else b", "x") == "False");
  CHECK(FlagDefault("if req.get('mask') is not None:", "mask").empty());
  CHECK(FlagDefault("y = batch.get('mask')", "mask").empty());
  CHECK(FlagDefault("if cfg.get('scale', 2):", "scale").empty());
  CHECK_FALSE(AsksPresence("if ctx.flags.get(\"l2norm\"):", "l2norm"));
}

TEST_CASE("lines in which a variable is a bound of a slice", "[causes]") {
  CHECK(BoundsSlice("self.k[:, :, start:start + n] = k"));
  CHECK(BoundsSlice("y = x[:n].sum()"));
  CHECK_FALSE(BoundsSlice("y = x[1:3] * k"));
  CHECK_FALSE(BoundsSlice("y = {k: x}"));
  CHECK_FALSE(BoundsSlice("y = x[n]"));
}

TEST_CASE("a variable of an enclosing function that a loop counts to", "[causes]") {
  CHECK(FindUse("for _ in range(steps):", "f.__closure__[2].cell_contents") == ValueUse::kRange);
}

TEST_CASE("the name that a statement assigns to", "[causes]") {
  CHECK(AssignedName("n = int(acc)") == "n");
  CHECK(AssignedName("self.n = 3") == "self.n");
  CHECK(AssignedName("n == 3").empty());
  CHECK(AssignedName("a, b = f()").empty());
  CHECK(AssignedName("return int(n)").empty());
}

TEST_CASE("an item that is called belongs to a fixed set", "[causes]") {
  CHECK(PicksCallable("return s.heads[task](s.trunk(x)) * w[task]", "L['task']"));
  CHECK_FALSE(PicksCallable("return s.heads[task + 1](x)", "L['task']"));
  CHECK_FALSE(PicksCallable("return x[task] * (y)", "L['task']"));
  CHECK_FALSE(PicksCallable("return x[task", "L['task']"));
}

TEST_CASE("an object next to a member of its class is a member", "[causes]") {
  constexpr std::string_view kGuard = "___check_obj_id(c.mode, 14), type=<class 'app.Mode'>";
  CHECK(NamesMember("if c.mode is Mode.FAST:", kGuard));
  CHECK(NamesMember("if c.mode is not Mode.FAST:", kGuard));
  CHECK_FALSE(NamesMember("if c.mode is OtherMode.FAST:", kGuard));
  CHECK_FALSE(NamesMember("y = Mode.apply(c.mode)", kGuard));
  CHECK_FALSE(NamesMember("if c.mode is Mode.FAST:", "___check_obj_id(c.mode, 14)"));
}

}  // namespace
}  // namespace shapewise
