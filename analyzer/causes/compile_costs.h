// The totals of the accounts.

#ifndef SHAPEWISE_CAUSES_COMPILE_COSTS_H_
#define SHAPEWISE_CAUSES_COMPILE_COSTS_H_

#include <optional>

#include "causes/compile_ledger.h"
#include "model/session.h"
#include "result/cost.h"

namespace shapewise {

/// Adds up the phases of compilations.
class PhaseSum {
 public:
  /// Adds the phases of `compilation`, which took `whole` in total. Limits each part to the part
  /// that contains it, whatever the log says.
  void Add(const Compilation& compilation, std::optional<Micros> whole);
  PhaseSeconds Total() const;

 private:
  std::optional<Micros> dynamo_;
  std::optional<Micros> aot_;
  std::optional<Micros> inductor_;
  std::optional<Micros> code_gen_;
};

/// The total cost of compiling; absent if the log contains no compilation.
std::optional<CompileCosts> SumCompileCosts(const Session& session, const CompileLedger& ledger);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COMPILE_COSTS_H_
