// Each graph is small enough to see what padding does to it.

#include "support/catch.h"
#include "unit/shapes/graph_text.h"

namespace shapewise {
namespace {

constexpr const char* kPaddedSource = R"(x: "f32[2, s0, 16]")";
constexpr const char* kMasked = R"(x: "f32[2, s0, 16]", mask: "b8[2, s0]")";

TEST_CASE("rows that are computed by themselves may be padded", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", w: "f32[16, 16]")", R"(
      linear: "f32[2, s0, 16]" = torch.ops.aten.linear.default(x, w)
      norm: "f32[2, s0, 16]" = torch.ops.aten.layer_norm.default(linear, [16])
      softmax: "f32[2, s0, 16]" = torch.ops.aten.softmax.int(norm, -1))",
                  "softmax") == "safe");
}

TEST_CASE("a mean divides by the padded size", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"(mean: "f32[2, 16]" = x.mean(1))", "mean") ==
        "unsafe\nmean: mean over dim 1 (s0), which is padded: it divides by the padded size");
  CHECK(PaddingOf(kPaddedSource, R"(mean: "f32[2, s0]" = x.mean(-1))", "mean") == "safe");
}

TEST_CASE("a masked mean needs the mask to be False", "[padding]") {
  CHECK(PaddingOf(kMasked, R"(
      kept: "f32[2, s0]" = mask.float()
      rows: "f32[2, s0, 1]" = kept.unsqueeze(-1)
      mul: "f32[2, s0, 16]" = x * rows
      sum_1: "f32[2, 16]" = mul.sum(1)
      sum_2: "f32[2, 1]" = rows.sum(1)
      mean: "f32[2, 16]" = sum_1 / sum_2)",
                  "mean") ==
        "masked\nmask: False at padded positions\n"
        "sum_1: needed here: sum over dim 1 (s0), which is padded");
}

TEST_CASE("a mask that is turned round must be True", "[padding]") {
  const std::string reported = PaddingOf(kMasked, R"(
      rows: "b8[2, s0, 1]" = mask.unsqueeze(-1)
      fill: "f32[2, s0, 16]" = x.masked_fill(rows, -inf)
      most: "f32[2, 16]" = torch.amax(fill, 1))",
                                         "most");
  CHECK(reported.starts_with("masked\nmask: True at padded positions\n"));
}

TEST_CASE("attention is safe if it is causal, masked if it has a mask", "[padding]") {
  constexpr const char* kHeads = R"(q: "f32[2, 4, s0, 8]", mask: "b8[2, 1, 1, s0]")";
  CHECK(PaddingOf(kHeads, R"(
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q, is_causal = True))",
                  "a") == "safe");
  CHECK(PaddingOf(kHeads, R"(
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q, attn_mask = mask))",
                  "a")
            .starts_with("masked\nmask: False at padded positions\n"));
  CHECK(PaddingOf(kHeads, R"(
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q))",
                  "a")
            .starts_with("unsafe\n"));
}

TEST_CASE("positions compared with positions make a causal mask", "[padding]") {
  constexpr const char* kSized = R"py(s0: "Sym(s0)", x: "f32[2, s0, 16]")py";
  constexpr const char* kGraph = R"(
      turned: "f32[2, 16, s0]" = x.transpose(1, 2)
      scores: "f32[2, s0, s0]" = x @ turned
      i: "i64[s0]" = torch.arange(s0)
      rows: "i64[s0, 1]" = i[(slice(None, None, None), None)]
      columns: "i64[1, s0]" = i[(None, slice(None, None, None))]
      seen: "b8[s0, s0]" = rows >= columns
      unseen: "b8[s0, s0]" = ~seen
      low: "f32[2, s0, s0]" = scores.masked_fill(unseen, -1e9)
      p: "f32[2, s0, s0]" = low.softmax(-1)
      out: "f32[2, s0, 16]" = p @ x)";
  CHECK(PaddingOf(kSized, kGraph, "out") == "safe");
  // The same with the future instead of the past.
  std::string future = kGraph;
  future.replace(future.find(">="), 2, "<=");
  CHECK(PaddingOf(kSized, future, "out").starts_with("unsafe\n"));
}

TEST_CASE("a row that a finite mask leaves nothing of spreads over padding", "[padding]") {
  constexpr const char* kScores = R"(x: "f32[2, s0, s0]", mask: "b8[2, 1, s0]")";
  const auto graph = [](const std::string& low) {
    return R"(
      scores: "f32[2, s0, s0]" = x.masked_fill(mask, )" +
           low + R"()
      p: "f32[2, s0, s0]" = scores.softmax(-1))";
  };
  CHECK(PaddingOf(kScores, graph("-inf"), "p")
            .starts_with("masked\nmask: True at padded positions\n"));
  // exp(-1e9 + 1e9) is 1: a row without any other number is shared by all positions.
  CHECK(PaddingOf(kScores, graph("-1e9"), "p") ==
        "unknown\nmask: True at padded positions\n"
        "p: softmax over dim 2 (s0), which is padded: right if every real row has a position that "
        "is not masked, which is not known");
}

TEST_CASE("a mask that is added has the same condition, -inf has none", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", mask: "i64[2, 1, s0]")", R"(
      columns: "f32[2, 16, s0]" = x.transpose(1, 2)
      products: "f32[2, s0, s0]" = x @ columns
      turned: "f32[2, 1, s0]" = 1.0 - mask
      bias: "f32[2, 1, s0]" = turned * -10000.0
      scores: "f32[2, s0, s0]" = products + bias
      p: "f32[2, s0, s0]" = scores.softmax(-1))",
                  "p")
            .starts_with("unknown\nmask: 0 at padded positions\np: softmax"));
  CHECK(PaddingOf(R"(x: "f32[2, s0, s0]", mask: "f32[2, 1, s0]")", R"(
      scores: "f32[2, s0, s0]" = x + mask
      p: "f32[2, s0, s0]" = scores.softmax(-1))",
                  "p")
            .starts_with("masked\nmask: -inf at padded positions\n"));
}

TEST_CASE("every row of a causal mask keeps a position, of a strictly causal one not",
          "[padding]") {
  const auto graph = [](const std::string& compared) {
    return R"(
      turned: "f32[2, 16, s0]" = x.transpose(1, 2)
      scores: "f32[2, s0, s0]" = x @ turned
      i: "i64[s0]" = torch.arange(s0)
      rows: "i64[s0, 1]" = i.unsqueeze(1)
      columns: "i64[1, s0]" = i.unsqueeze(0)
      seen: "b8[s0, s0]" = rows )" +
           compared + R"( columns
      low: "f32[2, s0, s0]" = torch.where(seen, scores, -1e9)
      p: "f32[2, s0, s0]" = low.softmax(-1)
      out: "f32[2, s0, 16]" = p @ x)";
  };
  constexpr const char* kSized = R"py(s0: "Sym(s0)", x: "f32[2, s0, 16]")py";
  CHECK(PaddingOf(kSized, graph(">="), "out") == "safe");
  CHECK(PaddingOf(kSized, graph(">"), "out").starts_with("unknown\n"));
}

TEST_CASE("what was not followed exactly is not called unsafe", "[padding]") {
  constexpr const char* kHeads =
      R"py(s0: "Sym(s0)", q: "f32[2, 4, s0, 8]", mask: "b8[2, s0]", n: "i64[2, 1]")py";
  // As transformers 5 looks a mask up: at padded positions it finds what the mask holds there.
  CHECK(PaddingOf(kHeads, R"(
      i: "i64[s0]" = torch.arange(s0)
      seen: "b8[2, s0]" = torch.ops.aten.index.Tensor(mask, [n, i])
      heads: "b8[2, 1, 1, s0]" = seen.view(2, 1, 1, s0)
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q, attn_mask = heads))",
                  "a")
            .starts_with("masked\nmask: False at padded positions\n"));
  CHECK(PaddingOf(kHeads, R"(
      i: "i64[s0]" = torch.arange(s0)
      other: "i64[s0]" = i // 2
      seen: "b8[2, s0]" = torch.ops.aten.index.Tensor(mask, [n, other])
      heads: "b8[2, 1, 1, s0]" = seen.view(2, 1, 1, s0)
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q, attn_mask = heads))",
                  "a")
            .starts_with("unknown\nmask: False at padded positions\n"));
  // Whatever the mask is, it does not reach the keys.
  CHECK(PaddingOf(kHeads, R"(
      a: "f32[2, 4, s0, 8]" = torch._C._nn.scaled_dot_product_attention(q, q, q))",
                  "a")
            .starts_with("unsafe\n"));
}

TEST_CASE("an id that the graph compares with is tried as padding", "[padding]") {
  CHECK(PaddingOf(R"(ids: "i64[2, s0]", x: "f32[2, s0]")", R"(
      real: "b8[2, s0]" = ids != 7
      kept: "f32[2, s0]" = x * real
      out: "f32[2]" = kept.sum(1))",
                  "out")
            .starts_with("masked\nids: 7 at padded positions\n"));
}

TEST_CASE("a view that folds keeps rows apart until they are summed", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", w: "f32[16, 16]")", R"(
      rows: "f32[2*s0, 16]" = x.view(-1, 16)
      mm: "f32[2*s0, 16]" = torch.ops.aten.mm.default(rows, w)
      back: "f32[2, s0, 16]" = mm.view(2, -1, 16))",
                  "back") == "safe");
  CHECK(PaddingOf(kPaddedSource, R"(rows: "f32[2*s0, 16]" = x.view(-1, 16))", "rows") ==
        "unsafe\nrows: its dim 0 is folded: padding stands between real rows");
  // The outermost dim folds without a gap.
  CHECK(PaddingOf(R"(x: "f32[s0, 4, 16]")", R"(rows: "f32[4*s0, 16]" = x.view(-1, 16))", "rows") ==
        "safe");
}

TEST_CASE("labels that are ignored leave a loss right", "[padding]") {
  CHECK(PaddingOf(R"(logits: "f32[2, s0, 9]", labels: "i64[2, s0]")", R"(
      a: "f32[2*s0, 9]" = logits.view(-1, 9)
      b: "i64[2*s0]" = labels.view(-1)
      loss: "f32[]" = torch.nn.functional.cross_entropy(a, b, ignore_index = -1))",
                  "loss")
            .starts_with("masked\nlabels: -1 at padded positions\n"));
}

TEST_CASE("the end of a padded dim is padding", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"(first: "f32[2, 16]" = x[(slice(None, None, None), 0)])",
                  "first") == "safe");
  CHECK(PaddingOf(kPaddedSource, R"(last: "f32[2, 16]" = x[(slice(None, None, None), -1)])",
                  "last") ==
        "unsafe\nlast: it takes a position counted from the end of dim 1 (s0), which is padded");
  CHECK(PaddingOf(kPaddedSource,
                  R"(most: "f32[2, s0 - 1, 16]" = torch.ops.aten.slice.Tensor(x, 1, 0, -1))",
                  "most") == "safe");
  CHECK(PaddingOf(kPaddedSource, R"(turned: "f32[2, s0, 16]" = torch.flip(x, [1]))", "turned")
            .starts_with("unsafe\n"));
}

TEST_CASE("more indices than dims are no harm", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[s0, 16]")", R"(
      y: "f32[s0]" = x[(Ellipsis, Ellipsis, slice(0, 2, None), slice(0, 2, None))])",
                  "y")
            .starts_with("unknown\n"));
}

TEST_CASE("padding has no place between two parts", "[padding]") {
  constexpr const char* kTwo = R"(x: "f32[2, s0, 16]", y: "f32[2, 3, 16]")";
  CHECK(PaddingOf(kTwo, R"(both: "f32[2, s0 + 3, 16]" = torch.cat([y, x], 1))", "both") == "safe");
  CHECK(PaddingOf(kTwo, R"(both: "f32[2, s0 + 3, 16]" = torch.cat([x, y], 1))", "both") ==
        "unsafe\nboth: cat puts other elements behind padding of dim 1 (s0)");
}

TEST_CASE("a size that is computed with changes the result", "[padding]") {
  CHECK(PaddingOf(R"py(s0: "Sym(s0)", x: "f32[2, s0, 16]")py",
                  R"(scaled: "f32[2, s0, 16]" = x / s0)", "scaled") ==
        "unsafe\nscaled: it computes with the size s0, which padding changes");
}

TEST_CASE("gradients that come in as 0 leave sums right", "[padding]") {
  const std::string reported = PaddingOf(R"(saved: "f32[s0, 16]", tangents_1: "f32[s0, 9]")", R"(
      t: "f32[9, s0]" = torch.ops.aten.t.default(tangents_1)
      mm: "f32[9, 16]" = torch.ops.aten.mm.default(t, saved))",
                                         "mm");
  CHECK(reported.starts_with("masked\ntangents_1: 0 at padded positions\n"));
}

TEST_CASE("an operator that is not known is named, if padding reaches it", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"(y: "f32[2, s0, 16]" = torch.ops.mylib.mix.default(x))", "y") ==
        "unknown\ny: the operator mylib.mix.default is not known");
  CHECK(PaddingOf(R"(x: "f32[2, s0, 16]", w: "f32[16]")", R"(
      y: "f32[16]" = torch.ops.mylib.mix.default(w)
      z: "f32[2, s0, 16]" = x * y)",
                  "z") == "safe");
}

TEST_CASE("a write into an operand changes what comes after it", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"(
      zero: "f32[2, s0, 16]" = torch.zeros_like(x)
      add_: "f32[2, s0, 16]" = zero.add_(x)
      total: "f32[2, 16]" = zero.sum(1))",
                  "total")
            .starts_with("masked\nx: 0 at padded positions\n"));
}

TEST_CASE("what shares memory with an operand that is written into is not known any more",
          "[padding]") {
  // `first` sees the mean, which padding changes, through the memory of `rows`.
  CHECK(PaddingOf(kPaddedSource, R"(
      rows: "f32[2, s0, 16]" = x.clone()
      first: "f32[2, 16]" = rows.select(1, 0)
      mean: "f32[2, 1, 16]" = x.mean(1, keepdim = True)
      add_: "f32[2, s0, 16]" = rows.add_(mean)
      out: "f32[2, 16]" = first * 2)",
                  "out") ==
        "unknown\nadd_: it writes into memory that views share, which is not followed");
  // A view that is made later sees what was written.
  CHECK(PaddingOf(kPaddedSource, R"(
      rows: "f32[2, s0, 16]" = x.clone()
      mean: "f32[2, 1, 16]" = x.mean(1, keepdim = True)
      add_: "f32[2, s0, 16]" = rows.add_(mean)
      first: "f32[2, 16]" = rows.select(1, 0)
      out: "f32[2, 16]" = first * 2)",
                  "out")
            .starts_with("unsafe\nmean: "));
}

TEST_CASE("a number that is worked out of the size and returned is another one", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"~(
      size: "Sym(s0)" = torch.ops.aten.sym_size.int(x, 1)
      twice: "Sym(2*s0)" = size * 2)~",
                  "x, twice") ==
        "unsafe\ntwice: a number is returned that the padded size changes");
}

TEST_CASE("gather may take its positions from a dim that is put together otherwise", "[padding]") {
  CHECK(PaddingOf(R"(x: "f32[8, 5]", ids: "i64[2, s0]")", R"(
      rows: "i64[2*s0, 1]" = ids.view(-1, 1)
      gather: "f32[2*s0, 1]" = torch.ops.aten.gather.default(x, 1, rows))",
                  "gather")
            .starts_with("unsafe\n"));
}

TEST_CASE("a gradient of no rank has no rows", "[padding]") {
  CHECK(PaddingOf(R"(g: "f32[]", x: "f32[s0, 3, 8, 8]", w: "f32[4, 3, 3, 3]")", R"(
      back = torch.ops.aten.convolution_backward.default(g, x, w, [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True])
      into: "f32[s0, 3, 8, 8]" = back[0])",
                  "into")
            .starts_with("unknown"));
}

TEST_CASE("an unknown operator whose result nobody takes may have written anywhere", "[padding]") {
  CHECK(PaddingOf(kPaddedSource, R"(
      rows: "f32[2, s0, 16]" = x.clone()
      none = torch.ops.mylib.fill_rows.default(rows, x)
      out: "f32[2, s0, 16]" = rows * 2)",
                  "out")
            .starts_with("unknown\nnone: the operator mylib.fill_rows.default is not known"));
}

TEST_CASE("the first rows of a table are the same up to a larger size", "[padding]") {
  constexpr const char* kTable =
      R"py(s0: "Sym(s0)", x: "f32[2, s0, 16]", table: "f32[64, 16]", square: "f32[64, 64]")py";
  CHECK(PaddingOf(kTable, R"(
      rows: "f32[s0, 16]" = table[slice(None, s0, None)]
      batch: "f32[1, s0, 16]" = rows[None]
      out: "f32[2, s0, 16]" = x + batch)",
                  "out") == "safe");
  // Padded rows of the table get into the sum.
  CHECK(PaddingOf(kTable, R"(
      rows: "f32[s0, 16]" = table[slice(None, s0, None)]
      out: "f32[16]" = rows.sum(0))",
                  "out")
            .starts_with("unsafe\n"));
  // Rows from the end are others. Whether a square is a causal mask is not printed.
  CHECK(PaddingOf(kTable, R"(
      rest: "f32[64 - s0, 16]" = table[slice(s0, None, None)]
      out: "f32[64 - s0, 16]" = rest * 2)",
                  "out")
            .starts_with("unknown\n"));
  CHECK(PaddingOf(kTable, R"(
      cut: "f32[s0, s0]" = square[(slice(None, s0, None), slice(None, s0, None))])",
                  "cut") ==
        "unknown\ncut: it cuts a square of the padded size out of numbers that are not printed");
}

TEST_CASE("multi-head attention needs a mask over padded keys", "[padding]") {
  constexpr const char* kHeads =
      R"(x: "f32[s0, 2, 16]", mask: "b8[2, s0]", w: "f32[48, 16]", b: "f32[48]", o: "f32[16, 16]", c: "f32[16]")";
  const auto graph = [](const std::string& mask) {
    return R"(
      both = torch.nn.functional.multi_head_attention_forward(x, x, x, 16, 4, w, b, None, None, False, 0.0, o, c, )" +
           mask + R"()
      out: "f32[s0, 2, 16]" = both[0])";
  };
  CHECK(PaddingOf(kHeads, graph("training = False, key_padding_mask = mask"), "out")
            .starts_with("masked\nmask: True at padded positions\n"));
  CHECK(PaddingOf(kHeads, graph("training = False"), "out").starts_with("unsafe\n"));
}

}  // namespace
}  // namespace shapewise
