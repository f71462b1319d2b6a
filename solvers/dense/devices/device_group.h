// Several devices of one kind that solve a problem together in one process.
#pragma once

#include <memory>
#include <vector>

#include "solvers/dense/blas.h"

namespace tl {

/// A stream with its BLAS on each device of a list, in the list's order. A device may be listed
/// twice, and then counts as two.
class DeviceGroup {
  public:
    /// Throws UsageError where the list has devices of both kinds.
    explicit DeviceGroup(const std::vector<Device*>& devices);

    [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }
    [[nodiscard]] Device& device(int member) const { return stream(member).device(); }
    [[nodiscard]] Stream& stream(int member) const { return *at(member).stream; }
    [[nodiscard]] Blas& blas(int member) const { return *at(member).blas; }
    /// Waits for all streams.
    void synchronize();

  private:
    struct Member {
        std::unique_ptr<Stream> stream;
        std::unique_ptr<Blas> blas;
    };
    [[nodiscard]] const Member& at(int member) const {
        return members_[static_cast<std::size_t>(member)];
    }
    std::vector<Member> members_;
};

}  // namespace tl
