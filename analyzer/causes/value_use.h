// How a line of user code uses the value that a guard compared.

#ifndef SHAPEWISE_CAUSES_VALUE_USE_H_
#define SHAPEWISE_CAUSES_VALUE_USE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "causes/cause.h"
#include "model/source_ref.h"

namespace shapewise {

/// How `code`, one line of Python from the log, uses the value of `source`, as guards print it
/// ("self.steps", "L['n']"). The value is found by the last name in the source. A use that needs
/// the value as a constant takes precedence over others. kUnknown: no code, or the name is not in
/// it.
ValueUse FindUse(std::string_view code, std::string_view source);

/// How `code` uses the number that `.item()` or int() makes of a tensor there. int() makes an
/// integer of it, which is mostly needed as a size or an index.
ValueUse FindUseOfItem(std::string_view code);

/// Whether `code` makes a tensor of a size, and picks no items: `out = torch.zeros((b, n, d))`. A
/// tensor that is turned into a number there is a size.
bool MakesTensorOfSize(std::string_view code);

/// Whether `word`, a name or a call that makes a number, is one of several subscripts in `code`, as
/// `n` is in `x[0, n]`, and no bound of a slice. Dynamo cannot trace it with an unknown number
/// (2.13): "IndexError: only integers, slices ... are valid indices (got SymInt)".
bool IsInSubscripts(std::string_view code, std::string_view word);

/// Whether `code` takes another path where `name`, a variable, an attribute or a key, is missing or
/// None: "if mask is not None:", "'mask' in batch", `batch.get("mask")`; not where it has a
/// default, as in `batch.get("mask", 0)`, or one that FlagDefault finds.
bool AsksPresence(std::string_view code, std::string_view name);

/// The flag for which the missing key `name` stands where `code` only tests its truth: "False" for
/// `if flags.get("debug"):`, "True" for `if flags.get("residual", True):`. Empty: it does not.
std::string_view FlagDefault(std::string_view code, std::string_view name);

/// Whether a variable is a bound of a slice in `code`, as in `self.k[:, start:start + n] = k`.
bool BoundsSlice(std::string_view code);

/// Whether `code` calls the item that `source` picks: `self.heads[task](x)`. The item is a module
/// or a function then, of a fixed set.
bool PicksCallable(std::string_view code, std::string_view source);

/// Whether `code` names a member of the class that `guard` prints: "Mode.FAST" next to
/// "___check_obj_id(mode, 1405), type=<class 'app.Mode'>". The compared object is one then.
bool NamesMember(std::string_view code, std::string_view guard);

/// Whether `code` passes on the tuple `name` of all positional arguments of a wrapper:
/// "func(self, *args, **kwargs)".
bool PassesOnArguments(std::string_view code, std::string_view name);

/// The name that the statement `code` assigns to; empty: none, or several.
std::string_view AssignedName(std::string_view code);

/// What the call `list.append(...)` in `code` adds to this list: "logp" for
/// "self.logps.append(logp)", also where the list is an item, as in "self.logps[k].append(logp)".
/// Empty: the line only reads the list, or does not end with the call.
std::string_view AppendedItem(std::string_view code, const SourceRef& list);

/// Variables and attributes that the condition `code` compares, apart from those whose last name is
/// `name`: "MODE" in `if SWEEP % 5 == 0 and MODE == "hot":`. Empty: no condition, or no others.
std::vector<std::string_view> OtherOperands(std::string_view code, std::string_view name);

/// The targets of `+=` in `code`, as written: "s.calls" and "s.stats['n']" in
/// "s.calls += 1; s.stats['n'] += k".
std::vector<std::string_view> IncrementedTargets(std::string_view code);

/// Adds the functions of module math that `code` applies to the value of `source`: "sqrt" for
/// "1 / math.sqrt(sigma ** 2)". They take no tensor.
void AddMathCalls(std::string_view code, std::string_view source,
                  std::set<std::string_view>& functions);

/// What does the same for tensors: "torch.log, torch.sqrt instead of math.log, math.sqrt". Empty:
/// no functions.
std::string TensorMathText(const std::set<std::string_view>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_USE_H_
