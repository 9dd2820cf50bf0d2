// The body of a function together with what runs after its graph breaks.

#ifndef SHAPEWISE_DYNAMO_LINKED_BODY_H_
#define SHAPEWISE_DYNAMO_LINKED_BODY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/run_probes.h"
#include "model/session.h"
#include "result/place.h"

namespace shapewise {

/// A body, and for each of its frames the number in compile ids.
struct LinkedBody {
  BodyFacts body;
  std::vector<uint32_t> frames;
};

/// Reads the bodies of functions of the first process, with their resume functions and the
/// functions that they call between them. The compilations of the run are read once.
class LinkedBodies {
 public:
  /// `probes`: results of the probes of the run, or null.
  LinkedBodies(const Session& session, const RunProbes* probes);
  ~LinkedBodies();
  LinkedBodies(const LinkedBodies&) = delete;
  LinkedBodies& operator=(const LinkedBodies&) = delete;

  /// The function that compile ids call `frame`.
  LinkedBody Read(uint32_t frame, const Place& where);

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_LINKED_BODY_H_
