% gpuMatrix  A matrix that a device works on beside Octave (Brodtkorb 2007, listing 4.7).
%
%   A = gpuMatrix (rand (n)); B = gpuMatrix (rand (n));
%   C = A * B;          % returns at once
%   D = C * C;          % so does this, before C exists
%   read (D);           % starts to copy it back
%   d = single (D);     % waits for it
%
% Operators + - * .* ./ / \ ', indices A(i:j, k:l) and assignments to them, and lu, rref, svd, eig,
% inv, abs, sqrt, exp return gpuMatrix objects at once; the other operand may be an array. The device
% is TREELIGHT_DEVICE of the environment: cpu, cuda, or auto. Errors appear where a result is waited
% for.
classdef gpuMatrix < handle
  properties (SetAccess = private)
    id = uint64 (0);
  end

  methods
    function self = gpuMatrix (a)
      if (isa (a, 'uint64'))
        self.id = a;
      else
        self.id = treelight_mex ('upload', a);
      end
    end
    function delete (self)
      if (self.id ~= 0)
        try
          treelight_mex ('release', self.id);
        catch
          % At the end of Octave the queue may have ended first.
        end
      end
    end

    function c = plus (a, b)
      c = by_elements (0, a, b);
    end
    function c = minus (a, b)
      c = by_elements (1, a, b);
    end
    function c = times (a, b)
      c = by_elements (2, a, b);
    end
    function c = rdivide (a, b)
      c = by_elements (3, a, b);
    end
    function c = mtimes (a, b)
      if (is_number (a) || is_number (b))
        c = by_elements (2, a, b);
      else
        [a, b] = both_there (a, b);
        c = gpuMatrix (treelight_mex ('matmul', a.id, b.id));
      end
    end
    function c = mrdivide (a, b)
      if (is_number (b))
        c = by_elements (3, a, b);
      else
        c = (b' \ a')';
      end
    end
    function c = mldivide (a, b)
      [a, b] = both_there (a, b);
      extents = treelight_mex ('size', a.id);
      if (extents(1) == extents(2))
        c = gpuMatrix (treelight_mex ('solve', a.id, b.id));
      else
        c = gpuMatrix (treelight_mex ('lstsq', a.id, b.id, -1));
      end
    end
    function c = uminus (a)
      c = gpuMatrix (treelight_mex ('elements', 6, a.id));
    end
    function c = abs (a)
      c = gpuMatrix (treelight_mex ('elements', 7, a.id));
    end
    function c = sqrt (a)
      c = gpuMatrix (treelight_mex ('elements', 8, a.id));
    end
    function c = exp (a)
      c = gpuMatrix (treelight_mex ('elements', 9, a.id));
    end
    function c = ctranspose (a)
      c = gpuMatrix (treelight_mex ('transpose', a.id));
    end
    function c = transpose (a)
      c = gpuMatrix (treelight_mex ('transpose', a.id));
    end
    function c = inv (a)
      c = gpuMatrix (treelight_mex ('inverse', a.id));
    end

    % Singular values up to `ratio` times the largest count as zero; without: max (size (A)) eps.
    function c = pinv (a, ratio)
      if (nargin < 2)
        ratio = -1;
      end
      c = gpuMatrix (treelight_mex ('pinv', a.id, ratio));
    end
    function k = rank (a, ratio)
      if (nargin < 2)
        ratio = -1;
      end
      k = gpuMatrix (treelight_mex ('rank', a.id, ratio));
    end

    % L * U = A(p, :)
    function [l, u, p] = lu (a)
      [il, iu, ip] = treelight_mex ('lu', a.id);
      l = gpuMatrix (il);
      u = gpuMatrix (iu);
      p = gpuMatrix (ip) + 1;
    end
    % The pivots' columns, then zeros.
    function [r, pivots] = rref (a)
      [ir, ip] = treelight_mex ('rref', a.id);
      r = gpuMatrix (ir);
      pivots = gpuMatrix (ip) + 1;
    end
    % s, or [U, s, V]: s is a column.
    function [u, s, v] = svd (a)
      if (nargout < 2)
        u = gpuMatrix (treelight_mex ('singular_values', a.id));
      else
        [iu, is, iv] = treelight_mex ('svd', a.id);
        u = gpuMatrix (iu);
        s = gpuMatrix (is);
        v = gpuMatrix (iv);
      end
    end
    % Real and imaginary parts in two columns; with two results the vectors come first, a pair of
    % columns for each.
    function [vectors, values] = eig (a)
      if (nargout < 2)
        vectors = gpuMatrix (treelight_mex ('eigenvalues', a.id));
      else
        [ivalues, ivectors] = treelight_mex ('eig', a.id);
        vectors = gpuMatrix (ivectors);
        values = gpuMatrix (ivalues);
      end
    end

    function read (a)
      treelight_mex ('read', a.id);
    end
    function cancel (a)
      treelight_mex ('cancel', a.id);
    end
    function d = double (a)
      d = double (treelight_mex ('fetch', a.id));
    end
    function d = single (a)
      d = single (treelight_mex ('fetch', a.id));
    end

    function varargout = size (a, k)
      extents = treelight_mex ('size', a.id);
      if (nargin > 1)
        varargout{1} = extents(k);
      elseif (nargout < 2)
        varargout{1} = extents;
      else
        varargout = {extents(1), extents(2)};
      end
    end
    function varargout = subsref (a, s)
      if (strcmp (s(1).type, '.'))
        varargout{1} = a.(s(1).subs);
        return;
      end
      if (~strcmp (s(1).type, '()') || numel (s(1).subs) ~= 2)
        error ('treelight:invalid', 'a gpuMatrix has two indices');
      end
      [row, rows, col, cols] = block_of (a, s(1).subs);
      varargout{1} = gpuMatrix (treelight_mex ('block', a.id, row, col, rows, cols));
    end
    % The variable becomes another matrix; others that were the same one stay as they are.
    function a = subsasgn (a, s, b)
      if (numel (s) ~= 1 || ~strcmp (s.type, '()') || numel (s.subs) ~= 2)
        error ('treelight:invalid', 'a gpuMatrix has two indices');
      end
      [row, rows, col, cols] = block_of (a, s.subs);
      if (is_number (b))
        b = repmat (b, rows, cols);
      end
      if (any (size (b) ~= [rows, cols]))
        error ('treelight:invalid', '%d x %d numbers for a block of %d x %d', size (b), rows, cols);
      end
      [a, b] = both_there (a, b);
      a = gpuMatrix (treelight_mex ('replace', a.id, row, col, b.id));
    end
    function k = end (a, index, count)
      extents = treelight_mex ('size', a.id);
      k = extents(index);
    end
    function disp (a)
      extents = treelight_mex ('size', a.id);
      fprintf ('  gpuMatrix of %d x %d\n', extents(1), extents(2));
    end
  end
end

function c = by_elements (op, a, b)
  if (is_number (b))
    c = gpuMatrix (treelight_mex ('elements_scalar', op, a.id, double (b), 0));
  elseif (is_number (a))
    c = gpuMatrix (treelight_mex ('elements_scalar', op, b.id, double (a), 1));
  else
    [a, b] = both_there (a, b);
    c = gpuMatrix (treelight_mex ('elements', op, a.id, b.id));
  end
end

function yes = is_number (x)
  yes = ~isa (x, 'gpuMatrix') && isscalar (x);
end

% Both on the device: an array goes there in the precision of the other operand.
function [a, b] = both_there (a, b)
  if (~isa (a, 'gpuMatrix'))
    a = gpuMatrix (cast (a, treelight_mex ('class', b.id)));
  elseif (~isa (b, 'gpuMatrix'))
    b = gpuMatrix (cast (b, treelight_mex ('class', a.id)));
  end
end

% The first row and column of a block, from 0, and how many there are.
function [row, rows, col, cols] = block_of (a, indices)
  extents = treelight_mex ('size', a.id);
  [row, rows] = range_of (indices{1}, extents(1));
  [col, cols] = range_of (indices{2}, extents(2));
end

% The first index, from 0, and how many there are.
function [first, count] = range_of (index, extent)
  if (ischar (index))
    first = 0;
    count = extent;
  else
    if (any (diff (index) ~= 1))
      error ('treelight:invalid', 'indices of a gpuMatrix follow each other');
    end
    first = index(1) - 1;
    count = numel (index);
  end
end
