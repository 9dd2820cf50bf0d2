// Guard failures as reasons, whose texts are interned.

#ifndef SHAPEWISE_MODEL_INTERN_FAILURE_H_
#define SHAPEWISE_MODEL_INTERN_FAILURE_H_

#include "shapewise/model/event.h"
#include "shapewise/model/guard.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// Interns the views of `failure`.
Reason InternFailure(const GuardFailure& failure, StringPool& strings);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_INTERN_FAILURE_H_
