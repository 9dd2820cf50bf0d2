// Masks as libraries of models build them: positions that are counted, looked up, compared.

#include "support/catch.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

constexpr const char* kSequence =
    R"(q: "f32[2, 4, s0, 8]", k: "f32[2, 4, s0, 8]", v: "f32[2, 4, s0, 8]")";

std::string WithMask(const std::string& mask) { return std::string(kSequence) + ", " + mask; }

constexpr const char* kPositions = R"(
      n = torch.ops.aten.sym_size.int(q, 2)
      counted: "i64[s0]" = torch.ops.aten.arange.default(n)
      steps: "i64[s0]" = torch.ops.aten.add.Tensor(counted, 0)
      keys: "i64[1, 1, 1, s0]" = steps[None, None, None, :]
      rows: "i64[1, 1, s0, 1]" = steps[None, None, :, None]
      batch: "i64[2]" = torch.ops.aten.arange.default(2)
      items: "i64[2, 1, 1, 1]" = batch[:, None, None, None])";

TEST_CASE("a mask that is looked up with counted positions keeps its padding", "[padding]") {
  const std::string graph = std::string(kPositions) + R"(
      kept: "b8[2, s0]" = mask.to(torch.bool)
      found: "b8[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(kept, [items, keys])
      each: "b8[2, 1, s0, s0]" = torch.ops.aten.expand.default(found, [2, -1, n, n])
      out: "f32[2, 4, s0, 8]" = torch.nn.functional.scaled_dot_product_attention(q, k, v, each))";
  CHECK(PaddingOf(WithMask(R"(mask: "i64[2, s0]")"), graph, "out")
            .starts_with("masked\nmask: 0 at padded positions\n"));
}

TEST_CASE("positions that are shifted or reversed find other elements", "[padding]") {
  for (const char* other :
       {"torch.ops.aten.add.Tensor(keys, 1)", "torch.ops.aten.flip.default(keys, [3])"}) {
    const std::string graph = std::string(kPositions) + R"(
      kept: "b8[2, s0]" = mask.to(torch.bool)
      moved: "i64[1, 1, 1, s0]" = )" +
                              other + R"(
      found: "b8[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(kept, [items, moved])
      out: "f32[2, 4, s0, 8]" = torch.nn.functional.scaled_dot_product_attention(q, k, v, found))";
    CHECK_FALSE(PaddingOf(WithMask(R"(mask: "i64[2, s0]")"), graph, "out").starts_with("masked"));
  }
}

TEST_CASE("a causal mask of looked-up positions needs no input", "[padding]") {
  const std::string graph = std::string(kPositions) + R"(
      ids: "i64[2, s0]" = torch.ops.aten.expand.default(steps, [2, -1])
      first: "i64[2, 1]" = torch.ops.aten.slice.Tensor(ids, 1, 0, 1)
      before: "i64[2, 1]" = torch.ops.aten.sub.Tensor(first, 1)
      jumps: "i64[2, s0]" = torch.ops.aten.diff.default(ids, 1, -1, before)
      starts: "b8[2, s0]" = torch.ops.aten.ne.Scalar(jumps, 1)
      parts: "i64[2, s0]" = torch.ops.aten.cumsum.default(starts, -1)
      row: "i64[2, 1, s0, 1]" = torch.ops.aten.index.Tensor(ids, [items, rows])
      key: "i64[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(ids, [items, keys])
      causal: "b8[2, 1, s0, s0]" = torch.ops.aten.le.Tensor(key, row)
      row_part: "i64[2, 1, s0, 1]" = torch.ops.aten.index.Tensor(parts, [items, rows])
      key_part: "i64[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(parts, [items, keys])
      alike: "b8[2, 1, s0, s0]" = torch.ops.aten.eq.Tensor(row_part, key_part)
      kept: "b8[2, 1, s0, s0]" = torch.ops.aten.__and__.Tensor(causal, alike)
      out: "f32[2, 4, s0, 8]" = torch.nn.functional.scaled_dot_product_attention(q, k, v, kept))";
  CHECK(PaddingOf(kSequence, graph, "out").starts_with("safe"));
}

TEST_CASE("positions of packed sequences are counted on", "[padding]") {
  const std::string graph = std::string(kPositions) + R"(
      row: "i64[2, 1, s0, 1]" = torch.ops.aten.index.Tensor(ids, [items, rows])
      key: "i64[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(ids, [items, keys])
      causal: "b8[2, 1, s0, s0]" = torch.ops.aten.le.Tensor(key, row)
      out: "f32[2, 4, s0, 8]" = torch.nn.functional.scaled_dot_product_attention(q, k, v, causal))";
  CHECK(PaddingOf(WithMask(R"(ids: "i64[2, s0]")"), graph, "out")
            .starts_with("masked\nids: positions that are counted on, below the real size at real "
                         "positions\n"));
}

TEST_CASE("a mask of finite numbers asks that rows keep a position", "[padding]") {
  constexpr const char* kBoth = R"(mask: "i64[2, s0]", q: "f32[2, 4, s0, 8]")";
  const std::string lookup = std::string(kPositions) + R"(
      kept: "b8[2, s0]" = mask.to(torch.bool)
      found: "b8[2, 1, 1, s0]" = torch.ops.aten.index.Tensor(kept, [items, keys]))";
  const std::string scores = R"(
      bias: "f32[2, 1, s0, s0]" = torch.ops.aten.where.ScalarOther(both, 0.0, -3.4028234663852886e+38)
      turned: "f32[2, 4, 8, s0]" = q.transpose(2, 3)
      products: "f32[2, 4, s0, s0]" = torch.matmul(q, turned)
      sums: "f32[2, 4, s0, s0]" = torch.ops.aten.add.Tensor(products, bias)
      out: "f32[2, 4, s0, s0]" = torch.softmax(sums, -1))";
  CHECK(
      PaddingOf(kBoth,
                lookup + R"(
      both: "b8[2, 1, s0, s0]" = torch.ops.aten.expand.default(found, [2, -1, n, n]))" +
                    scores,
                "out")
          .starts_with("masked\nmask: 0 at padded positions, and not 0 at a real position of each "
                       "row\n"));
  // Of a causal mask and one of padding together a row may keep nothing, unless both keep the first
  // position.
  CHECK(PaddingOf(kBoth,
                  lookup + R"(
      causal: "b8[1, 1, s0, s0]" = torch.ops.aten.le.Tensor(keys, rows)
      both: "b8[2, 1, s0, s0]" = torch.ops.aten.__and__.Tensor(causal, found))" +
                      scores,
                  "out")
            .starts_with("masked\nmask: 0 at padded positions, and not 0 at the first position of "
                         "each row\n"));
  // Seen from the other side the first position is not kept.
  CHECK(PaddingOf(kBoth,
                  lookup + R"(
      causal: "b8[1, 1, s0, s0]" = torch.ops.aten.ge.Tensor(keys, rows)
      both: "b8[2, 1, s0, s0]" = torch.ops.aten.__and__.Tensor(causal, found))" +
                      scores,
                  "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a triangle of a mask keeps the first position of each row", "[padding]") {
  constexpr const char* kScores = R"(x: "f32[2, s0, s0]", y: "f32[2, s0, s0]")";
  const auto graph = [](const std::string& mask) {
    return R"(
      n = torch.ops.aten.sym_size.int(x, 1)
      ones: "b8[s0, s0]" = torch.ops.aten.ones.default([n, n], dtype = torch.bool)
      )" + mask +
           R"(
      low: "f32[2, s0, s0]" = torch.ops.aten.masked_fill.Scalar(x, out_of_reach, -1e9)
      out: "f32[2, s0, s0]" = torch.softmax(low, -1))";
  };
  CHECK(PaddingOf(kScores, graph(R"(out_of_reach: "b8[s0, s0]" = torch.triu(ones, 1))"), "out") ==
        "safe");
  CHECK(PaddingOf(kScores, graph(R"(
      seen: "b8[s0, s0]" = torch.tril(ones)
      out_of_reach: "b8[s0, s0]" = ~seen)"),
                  "out") == "safe");
  // Of the first row nothing is left.
  CHECK(PaddingOf(kScores, graph(R"(
      seen: "b8[s0, s0]" = torch.tril(ones, -1)
      out_of_reach: "b8[s0, s0]" = ~seen)"),
                  "out")
            .starts_with("unknown\n"));
}

TEST_CASE("a causal convolution cuts off what sees padding", "[padding]") {
  constexpr const char* kSignal = R"(x: "f32[2, 16, s0]", w: "f32[16, 1, 4]")";
  const auto cut = [](const std::string& part) {
    return R"(
      n = torch.ops.aten.sym_size.int(x, 2)
      windows: "f32[2, 16, s0 + 3]" = torch.ops.aten.conv1d.default(x, w, None, [1], [3], [1], 16)
      )" + part;
  };
  CHECK(PaddingOf(kSignal, cut(R"(out: "f32[2, 16, s0]" = windows[:, :, :n])"), "out") == "safe");
  CHECK(PaddingOf(kSignal, cut(R"(out: "f32[2, 16, s0]" = windows[:, :, :-3])"), "out") == "safe");
  CHECK(PaddingOf(kSignal, cut(R"(out: "f32[2, 16, s0 + 1]" = windows[:, :, :-2])"), "out")
            .starts_with("masked\nx: 0 at padded positions\nwindows: needed here: windows at the "
                         "end of dim 2"));
  CHECK(PaddingOf(kSignal, cut(R"(out: "f32[2, 16, s0 + 3]" = windows.relu())"), "out")
            .starts_with("masked\nx: 0 at padded positions\nwindows: needed here: windows at the "
                         "end of dim 2"));
  CHECK(PaddingOf(kSignal, cut(R"(out: "f32[2, 16]" = windows[:, :, 5])"), "out")
            .starts_with("masked\nx: 0 at padded positions\n"));
}

TEST_CASE("x[-n:] of n positions is all of them", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]")", R"(
      n = torch.ops.aten.sym_size.int(x, 1)
      last = -n
      out: "f32[2, s0, 16]" = torch.ops.aten.slice.Tensor(x, 1, last))",
                  "out") == "safe");
}

TEST_CASE("a Fourier transform mixes all positions of a dim", "[padding]") {
  constexpr const char* kX = R"(x: "f32[2, s0, 16]")";
  CHECK(PaddingOf(kX, R"(out: "c64[2, s0, 16]" = torch.ops.aten.fft_fft.default(x))", "out") ==
        "safe");
  CHECK(PaddingOf(kX, R"(out: "c64[2, s0, 9]" = torch.ops.aten.fft_rfft.default(x))", "out") ==
        "safe");
  CHECK(PaddingOf(kX, R"(out: "c64[2, s0, 16]" = torch.ops.aten.fft_fftn.default(x, None, [1, 2]))",
                  "out") == "unsafe\nout: it transforms dim 1 (s0), which is padded");
}

TEST_CASE("what is counted up to the end is not shown to be wrong", "[padding]") {
  // With 0 at padded positions the last sum is the real one.
  CHECK_FALSE(PaddingOf(R"(mask: "i64[2, s0]")", R"(
      sums: "i64[2, s0]" = torch.ops.aten.cumsum.default(mask, -1)
      out: "i64[2]" = torch.ops.aten.select.int(sums, 1, -1))",
                        "out")
                  .starts_with("unsafe"));
}

TEST_CASE("elements of a pair have memory of their own", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[s0, 16]")", R"(
      best = torch.topk(x, 2, dim = -1)
      values: "f32[s0, 2]" = best[0]
      indices: "i64[s0, 2]" = best[1]
      sums: "f32[s0, 1]" = values.sum(-1, keepdim = True)
      values /= sums
      out: "f32[s0, 2]" = values + indices)",
                  "out") == "safe");
}

}  // namespace
}  // namespace shapewise
