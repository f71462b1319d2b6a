% gpuFactors  A PLU factorisation that a device keeps for many right sides.
%
%   F = gpuFactors (A);  % returns at once; A is a square gpuMatrix, or an array
%   X = F \ B;           % A \ B by two triangular solves; returns at once
%   Y = B / F;           % B / A
%
% X and Y are gpuMatrix objects; B may be an array. [LU, p] = get (F) has U on and above the diagonal
% of LU and L below it, with L * U = A(p, :).
classdef gpuFactors < handle
  properties (SetAccess = private)
    packed;
    order;
  end

  methods
    function self = gpuFactors (a)
      if (~isa (a, 'gpuMatrix'))
        a = gpuMatrix (a);
      end
      [ifactors, iorder] = treelight_mex ('lu_factors', a.id);
      self.packed = gpuMatrix (ifactors);
      self.order = gpuMatrix (iorder);
    end
    function x = mldivide (f, b)
      x = solve (f, b, 0);
    end
    function x = mrdivide (b, f)
      x = solve (f, b', 1)';
    end
    function [lu, p] = get (f)
      lu = f.packed;
      p = f.order + 1;
    end
    function disp (f)
      fprintf ('  gpuFactors of %d x %d\n', size (f.packed));
    end
  end
end

function x = solve (f, b, transposed)
  if (~isa (b, 'gpuMatrix'))
    b = gpuMatrix (cast (b, treelight_mex ('class', f.packed.id)));
  end
  x = gpuMatrix (treelight_mex ('lu_solve', f.packed.id, f.order.id, b.id, transposed));
end
