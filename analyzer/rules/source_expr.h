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

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_SOURCE_EXPR_H_
