// Sources of guards as their user would write them.

#ifndef SHAPEWISE_RULES_SOURCE_EXPR_H_
#define SHAPEWISE_RULES_SOURCE_EXPR_H_

#include <string>
#include <string_view>

namespace shapewise {

/// The Python expression behind a guard's source:
///
///   L['x']                                            x
///   G['step']                                         step
///   L['self']._modules['a']._parameters['w']          self.a.w
///   self._modules['layers']._modules['0'].weight      self.layers[0].weight
///   G['__import_my_dot_pkg'].LIMIT                    my.pkg.LIMIT
///   L['kwargs']['input_ids']                          kwargs['input_ids']
///
/// What is of no such form stays as it is. Linear in the length of `source`.
std::string SourceExpr(std::string_view source);

/// Whether `expr`, as SourceExpr gives it, can stand in a user's program: not what only Dynamo has
/// a name for, such as `___stack0`, `f.__closure__[0].cell_contents` or the bounds of a slice, and
/// not what would be more than one expression there.
bool IsWritable(std::string_view expr);

/// The source as TORCH_COMPILE_DYNAMIC_SOURCES takes it, `L['x'][1]` for `x[1]`; empty where it is
/// no argument, or belongs to the module itself, whose attributes the setting leaves alone, or
/// would mean something to the shell that sets it.
///
/// The setting is compared with Dynamo's own name of the source, letter by letter (torch/_dynamo/
/// variables/builder.py, is_dynamic_source, 2.7 to 2.13): `x`, `L['l[1]']` and `L['d']["k"]` do
/// nothing.
std::string DynamicSource(std::string_view source);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_SOURCE_EXPR_H_
