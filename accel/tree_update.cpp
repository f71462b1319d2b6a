#include "accel/tree_update.h"

namespace tl {

const char* name_of(UpdateKind kind) {
    return kind == UpdateKind::none ? "none" : kind == UpdateKind::refit ? "refit" : "rebuild";
}

UpdatePolicy policy_on(const Device& device, UpdatePolicy policy) {
    if (policy != UpdatePolicy::by_device) return policy;
    return device.kind() == DeviceKind::cpu ? UpdatePolicy::on_change : UpdatePolicy::rebuild;
}

UpdateKind UpdatePlan::next(UpdatePolicy policy, float sah_drift, bool moved) const {
    if (policy == UpdatePolicy::once) return UpdateKind::none;
    if (policy == UpdatePolicy::on_change) return moved ? UpdateKind::rebuild : UpdateKind::none;
    if (policy == UpdatePolicy::refit) return UpdateKind::refit;
    if (policy == UpdatePolicy::rebuild) return UpdateKind::rebuild;
    // A cost that was measured on an older build does not apply to this one.
    bool drifted = build_of_cost_ == n_builds_ && cost_.now > sah_drift * cost_.built;
    return drifted ? UpdateKind::rebuild : UpdateKind::refit;
}

void UpdatePlan::read_back(Stream& stream, const TreeHeader* header, const TreeCost* cost) {
    if (!headers_) headers_ = std::make_unique<Readback<TreeHeader>>(stream.device());
    // A copy between kernels costs some microseconds, so with many builds not every header is read.
    constexpr std::uint64_t kFirstBuilds = 8, kEvery = 32;
    if (n_builds_ < kFirstBuilds || n_builds_ % kEvery == 0)
        headers_->request(stream, header, n_builds_);
    if (auto taken = headers_->take()) header_ = taken->value;
    if (!cost) return;
    if (!costs_) costs_ = std::make_unique<Readback<TreeCost>>(stream.device());
    costs_->request(stream, cost, n_builds_);
    if (auto taken = costs_->take()) {
        cost_ = taken->value;
        build_of_cost_ = taken->tag;
    }
}

}  // namespace tl
