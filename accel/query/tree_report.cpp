#include "accel/query/tree_report.h"

#include "accel/query/shape_kernels.h"

namespace tl {

TreeReport report_tree(Scratch& scratch, Tree& tree) {
    auto& stream = scratch.stream();
    TreeReport report;
    stream.device().download(stream, &report.header, tree.header().data, sizeof report.header);
    if (report.header.n_valid == 0) return report;
    DeviceArray<Box> box(stream, 1);
    TL_DISPATCH(stream.device(),
                tree_bounds(stream, tree.nodes().view(), tree.header(), box.view()));
    DeviceArray<TreeCost> cost(stream, 1);
    cost.fill_zero(stream);
    TL_DISPATCH(stream.device(), measure_sah_cost(scratch, tree.refit_view(), cost.view()));
    report.bounds = box.download(stream)[0];
    report.sah_cost = cost.download(stream)[0].now;
    return report;
}

}  // namespace tl
