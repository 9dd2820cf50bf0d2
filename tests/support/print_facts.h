// Facts of Python code as text, for tests and for people who write rules.

#ifndef SHAPEWISE_TESTS_SUPPORT_PRINT_FACTS_H_
#define SHAPEWISE_TESTS_SUPPORT_PRINT_FACTS_H_

#include <string>
#include <string_view>

#include "source/fact.h"
#include "source/flow.h"
#include "source/project.h"

namespace shapewise {

/// "7: call torch.Tensor.item of tensor 80% (training)": the line in its file, the kind, the name,
/// the use, the subject and how sure it is, the conditions.
std::string PrintFact(Project& project, const Fact& fact);

/// All facts of `code` as the only file of a project, a line each; `kinds`: only these, all if
/// empty.
std::string FactsOf(std::string_view code, std::initializer_list<FactKind> kinds = {});

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_PRINT_FACTS_H_
