// The results of the probes of a run (analyzer/docs/bodies.md).

#ifndef SHAPEWISE_DYNAMO_RUN_PROBES_H_
#define SHAPEWISE_DYNAMO_RUN_PROBES_H_

#include <string>
#include <utility>
#include <vector>

#include "model/session.h"
#include "result/place.h"

namespace shapewise {

/// The probes of one run.
struct RunProbes {
  Session session;  ///< their traces, apart from those of the run
  /// Functions with calls that could not be traced, and the reason of the first of them.
  std::vector<std::pair<Place, std::string>> missed;
  std::vector<Place> alike;  ///< functions of several objects that share each graph
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RUN_PROBES_H_
