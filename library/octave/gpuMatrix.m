% gpuMatrix  A matrix that a device works on beside Octave (Brodtkorb 2007, listing 4.7).
%
%   A = gpuMatrix (rand (n)); B = gpuMatrix (rand (n));
%   C = A * B;          % returns at once
%   D = C * C;          % so does this, before C exists
%   read (D);           % starts to copy it back
%   d = single (D);     % waits for it
%
% Operators + - * / \ ^ ' .* ./ .\ .^ == ~= < <= > >= & | ~, indices A(i:k:j, m:n) with `end` and
% assignments to them, and lu, rref, svd, eig, inv, abs, sqrt, exp return gpuMatrix objects at once;
% the other operand may be an array, and a row, column or number is repeated. Comparisons and logical
% operators give 1 and 0, of the class of their operands; numbers other than 0 are true, and so is
% NaN. A .^ B is NaN for a negative base with an exponent that is no integer. A ^ k takes whole
% numbers k.
%
% Conversions single, double, logical, int8 to int64 and uint8 to uint64 wait for the matrix and
% return an array, and so does its display. The device is TREELIGHT_DEVICE of the environment: cpu,
% cuda, or auto. Errors appear where a result is waited for.
classdef gpuMatrix < handle
  properties (SetAccess = private)
    id = uint64 (0);
  end

  methods
    % Arrays of integers and logical values become double. A structure is a result of treelight_mex.
    function self = gpuMatrix (a)
      if (isinteger (a) || islogical (a))
        a = double (a);
      end
      if (~isstruct (a))
        a = treelight_mex ('upload', a);
      end
      self.id = a.value;
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
    function c = ldivide (a, b)
      c = by_elements (3, b, a);
    end
    function c = power (a, b)
      c = by_elements (10, a, b);
    end
    function c = eq (a, b)
      c = by_elements (11, a, b);
    end
    function c = ne (a, b)
      c = by_elements (12, a, b);
    end
    function c = lt (a, b)
      c = by_elements (13, a, b);
    end
    function c = le (a, b)
      c = by_elements (14, a, b);
    end
    function c = gt (a, b)
      c = by_elements (13, b, a);
    end
    function c = ge (a, b)
      c = by_elements (14, b, a);
    end
    function c = and (a, b)
      c = by_elements (15, a, b);
    end
    function c = or (a, b)
      c = by_elements (16, a, b);
    end
    function c = not (a)
      c = by_elements (11, a, 0);
    end
    function c = uplus (a)
      c = a;
    end
    function c = mtimes (a, b)
      if (is_scalar (a) || is_scalar (b))
        c = by_elements (2, a, b);
      else
        [a, b] = both_there (a, b);
        c = gpuMatrix (treelight_mex ('matmul', a.id, b.id));
      end
    end
    function c = mrdivide (a, b)
      if (is_scalar (b))
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
    % Powers of a square matrix by whole numbers: by squaring, of the inverse below 0.
    function c = mpower (a, k)
      if (isa (k, 'gpuMatrix') || ~isscalar (k) || ~isreal (k) || ~isfinite (k) || k ~= fix (k))
        error ('treelight:invalid', 'a gpuMatrix has powers by whole numbers; .^ is element by element');
      end
      extents = treelight_mex ('size', a.id);
      if (extents(1) ~= extents(2))
        error ('treelight:invalid', 'powers by ^ are of square matrices; this one is %d x %d', extents);
      end
      c = whole_power (a, double (k), extents(1));
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
    function d = int8 (a)
      d = int8 (treelight_mex ('fetch', a.id));
    end
    function d = int16 (a)
      d = int16 (treelight_mex ('fetch', a.id));
    end
    function d = int32 (a)
      d = int32 (treelight_mex ('fetch', a.id));
    end
    function d = int64 (a)
      d = int64 (treelight_mex ('fetch', a.id));
    end
    function d = uint8 (a)
      d = uint8 (treelight_mex ('fetch', a.id));
    end
    function d = uint16 (a)
      d = uint16 (treelight_mex ('fetch', a.id));
    end
    function d = uint32 (a)
      d = uint32 (treelight_mex ('fetch', a.id));
    end
    function d = uint64 (a)
      d = uint64 (treelight_mex ('fetch', a.id));
    end
    function d = logical (a)
      d = logical (treelight_mex ('fetch', a.id));
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
      [rows, cols] = ranges_of (a, s(1).subs);
      c = gpuMatrix (treelight_mex ('block', a.id, rows, cols));
      if (numel (s) > 1)
        c = subsref (c, s(2:end));
      end
      varargout{1} = c;
    end
    % The variable becomes another matrix; others that were the same one stay as they are.
    function a = subsasgn (a, s, b)
      if (numel (s) ~= 1 || ~strcmp (s.type, '()') || numel (s.subs) ~= 2)
        error ('treelight:invalid', 'a gpuMatrix has two indices');
      end
      [rows, cols] = ranges_of (a, s.subs);
      extents = [rows(3), cols(3)];
      if (is_number (b))
        b = repmat (b, extents);
      end
      if (any (size (b) ~= extents))
        error ('treelight:invalid', '%d x %d numbers for a block of %d x %d', size (b), extents);
      end
      [a, b] = both_there (a, b);
      a = gpuMatrix (treelight_mex ('replace', a.id, rows, cols, b.id));
    end
    function k = end (a, index, count)
      extents = treelight_mex ('size', a.id);
      k = extents(index);
    end
    function disp (a)
      values = treelight_mex ('fetch', a.id);
      fprintf ('  gpuMatrix of %d x %d, %s\n\n', size (values), class (values));
      disp (values);
    end
    function display (a)
      fprintf ('%s =\n\n', inputname (1));
      disp (a);
      fprintf ('\n');
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
    [a, b] = expanded (a, b);
    c = gpuMatrix (treelight_mex ('elements', op, a.id, b.id));
  end
end

% Rows, columns and numbers repeated for an operand that is larger, by products with ones.
function [a, b] = expanded (a, b)
  own = treelight_mex ('size', a.id);
  other = treelight_mex ('size', b.id);
  if (any (own ~= other))
    a = repeated (a, own, other);
    b = repeated (b, other, own);
  end
end

function a = repeated (a, own, extents)
  kind = treelight_mex ('class', a.id);
  if (own(1) == 1 && extents(1) ~= 1)
    rows = gpuMatrix (ones (extents(1), 1, kind));
    a = gpuMatrix (treelight_mex ('matmul', rows.id, a.id));
  end
  if (own(2) == 1 && extents(2) ~= 1)
    cols = gpuMatrix (ones (1, extents(2), kind));
    a = gpuMatrix (treelight_mex ('matmul', a.id, cols.id));
  end
end

function yes = is_number (x)
  yes = ~isa (x, 'gpuMatrix') && isscalar (x);
end

% Whether it is a number, on the device or not.
function yes = is_scalar (x)
  yes = is_number (x) || (isa (x, 'gpuMatrix') && all (treelight_mex ('size', x.id) == 1));
end

% Both on the device: an array goes there in the precision of the other operand.
function [a, b] = both_there (a, b)
  if (~isa (a, 'gpuMatrix'))
    a = gpuMatrix (cast (a, treelight_mex ('class', b.id)));
  elseif (~isa (b, 'gpuMatrix'))
    b = gpuMatrix (cast (b, treelight_mex ('class', a.id)));
  end
end

% c = a ^ k for a matrix of n x n.
function c = whole_power (a, k, n)
  c = gpuMatrix (eye (n, treelight_mex ('class', a.id)));
  if (k < 0)
    a = inv (a);
    k = -k;
  end
  while (k > 0)
    if (mod (k, 2) == 1)
      c = c * a;
    end
    k = floor (k / 2);
    if (k > 0)
      a = a * a;
    end
  end
end

% The ranges of a block: for each the first index, from 0, the step, and how many there are.
function [rows, cols] = ranges_of (a, indices)
  extents = treelight_mex ('size', a.id);
  rows = range_of (indices{1}, extents(1));
  cols = range_of (indices{2}, extents(2));
end

function range = range_of (index, extent)
  if (ischar (index))
    range = [0, 1, extent];
    return;
  end
  if (islogical (index))
    index = find (index);
  end
  index = double (index);
  if (isempty (index))
    range = [0, 1, 0];
    return;
  end
  if (any (index ~= fix (index)) || min (index) < 1 || max (index) > extent)
    error ('treelight:invalid', 'indices of a gpuMatrix are whole numbers from 1 to %d here', extent);
  end
  steps = diff (index(:));
  if (numel (steps) > 1 && any (steps ~= steps(1)))
    error ('treelight:invalid', 'indices of a gpuMatrix are a range: FIRST:STEP:LAST');
  end
  step = 1;
  if (~isempty (steps))
    step = steps(1);
  end
  if (step == 0)
    error ('treelight:invalid', 'indices of a gpuMatrix name each row or column once');
  end
  count = numel (index);
  range = [index(1) - 1, step, count];
end
