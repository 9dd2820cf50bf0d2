// What the guards of a function say of the items of a container whose length or keys vary.

#ifndef SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_
#define SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_

#include <map>
#include <tuple>

#include "causes/cause.h"
#include "model/session.h"

namespace shapewise {

/// The reasons of a function, one for each source and class; for keys, one for each guard.
using ReasonsByGuard = std::map<std::tuple<StrId, GuardClass, StrId>, const Reason*>;

/// Describes the container whose length or keys are the culprit of `cause`: whether it is a dict,
/// its name and which of its keys come and go (facts "container" and "keys"), and whether sizes of
/// its items vary.
void DescribeItems(const Session& session, const ReasonsByGuard& reasons, Cause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_
