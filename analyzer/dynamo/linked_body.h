// The body of a function together with what runs after its graph breaks.

#ifndef SHAPEWISE_DYNAMO_LINKED_BODY_H_
#define SHAPEWISE_DYNAMO_LINKED_BODY_H_

#include <cstdint>
#include <vector>

#include "shapewise/dynamo/body.h"
#include "shapewise/dynamo/run_probes.h"
#include "shapewise/model/session.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// A body, and for each of its frames the number in compile ids.
struct LinkedBody {
  BodyFacts body;
  std::vector<uint32_t> frames;
};

/// The body of a function of the first process, with its resume functions and the functions that
/// it calls between them. `probes`: results of the probes of the run, or null.
LinkedBody LinkedBodyOfRun(const Session& session, const RunProbes* probes, uint32_t frame,
                           const Place& where);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_LINKED_BODY_H_
