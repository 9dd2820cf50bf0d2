#include "syntax/parse_arena.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace shapewise {
namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kFirstChunk = size_t{1} << 20;
/// A parse may take this much memory, and this much more for each byte of text. Of 6000 files of
/// the standard library and of PyTorch's packages, the median takes 31 bytes for each byte of text,
/// the largest 33 MB for 346 KB. One syntax error after another takes memory and time that grow
/// with the square of their number: tree-sitter copies the tokens that it skipped before.
constexpr size_t kFreeBytes = size_t{128} << 20;
constexpr size_t kBytesPerTextByte = 256;

thread_local ParseArena* current = nullptr;

/// The bytes of a block stand before it.
size_t& SizeOf(void* block) {
  return *reinterpret_cast<size_t*>(static_cast<std::byte*>(block) - kAlignment);
}

}  // namespace

ParseArena::Scope::Scope(ParseArena& arena, size_t text_bytes) {
  [[maybe_unused]] static const bool is_installed = [] {
    ts_set_allocator(Allocate, AllocateZeroed, Reallocate, Free);
    return true;
  }();
  assert(is_installed && current == nullptr);
  current = &arena;
  arena.chunk_ = 0;
  arena.taken_ = 0;
  arena.most_ = kFreeBytes + kBytesPerTextByte * text_bytes;
  arena.is_exhausted_ = 0;
  arena.at_ = arena.chunks_.empty() ? nullptr : arena.chunks_[0].bytes.get();
  arena.end_ = arena.chunks_.empty() ? nullptr : arena.at_ + arena.chunks_[0].size;
}

ParseArena::Scope::~Scope() {
  // A large file's memory is not held for the small ones after it.
  if (current->chunks_.size() > 4) current->chunks_.resize(4);
  current = nullptr;
}

void* ParseArena::Take(size_t bytes) {
  const size_t needed = kAlignment + (bytes + kAlignment - 1) / kAlignment * kAlignment;
  taken_ += needed;
  if (taken_ > most_) is_exhausted_ = 1;
  if (static_cast<size_t>(end_ - at_) < needed) NextChunk(needed);
  void* block = at_ + kAlignment;
  at_ += needed;
  SizeOf(block) = bytes;
  return block;
}

void ParseArena::NextChunk(size_t bytes) {
  if (at_ != nullptr) ++chunk_;
  while (chunk_ < chunks_.size() && chunks_[chunk_].size < bytes) ++chunk_;
  if (chunk_ == chunks_.size()) {
    const size_t size = std::max(bytes, kFirstChunk << std::min<size_t>(chunks_.size(), 6));
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
  }
  at_ = chunks_[chunk_].bytes.get();
  end_ = at_ + chunks_[chunk_].size;
}

void* ParseArena::Allocate(size_t bytes) { return current->Take(bytes); }

void* ParseArena::AllocateZeroed(size_t count, size_t bytes) {
  void* block = current->Take(count * bytes);
  std::memset(block, 0, count * bytes);
  return block;
}

void* ParseArena::Reallocate(void* old, size_t bytes) {
  if (old == nullptr) return current->Take(bytes);
  const size_t had = SizeOf(old);
  if (bytes <= had) return old;
  void* block = current->Take(bytes);
  std::memcpy(block, old, had);
  return block;
}

void ParseArena::Free(void* /*memory*/) {}

}  // namespace shapewise
