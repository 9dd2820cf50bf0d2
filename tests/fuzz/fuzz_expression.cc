// Fuzzes the reader of symbolic sizes and guards. The law: what is read is printed as something
// that is read as the same expression, with the same value; nothing crashes, hangs or nests without
// bound.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "symbolic/expression.h"
#include "symbolic/interval.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using shapewise::ExprId;
  // The first byte gives the symbols their values; the rest is the text.
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  shapewise::ExprPool pool;
  const ExprId id = pool.Parse(text);
  shapewise::ParseInterval(text);
  if (id == ExprId::kNone) return 0;

  const ExprId again = pool.Parse(pool.ToText(id));
  // What PyTorch prints for a quotient has one bracket more than it needs: the innermost of the
  // deepest texts are not read again.
  if (again == ExprId::kNone) return 0;
  if (again != id) std::abort();
  const auto value_of = [&](ExprId symbol) -> std::optional<int64_t> {
    return static_cast<int64_t>(data[0]) + static_cast<int64_t>(pool.name(symbol).size());
  };
  const std::optional<int64_t> value = pool.Evaluate(id, value_of);
  const ExprId constant =
      pool.Substitute(id, [&](ExprId symbol) { return pool.Integer(*value_of(symbol)); });
  const std::optional<int64_t> folded = pool.Evaluate(constant, value_of);
  if (value && folded != value) std::abort();
  return 0;
}
