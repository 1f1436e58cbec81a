import ts from "typescript";

/**
 * Leaves out the constructors of classes that are published as types only. Nobody outside can call them, and their parameters
 * would bring types of the inside along.
 */
export function withoutConstructors(
  checker: ts.TypeChecker,
  entries: readonly ts.SourceFile[],
): ts.TransformerFactory<ts.SourceFile | ts.Bundle> {
  const published = new Set(entries.flatMap((entry) => classesOf(checker, entry)));
  return (context) => (root) => {
    const visit = (node: ts.Node): ts.Node => {
      if (!ts.isClassDeclaration(node) || published.has(ts.getOriginalNode(node)))
        return ts.visitEachChild(node, visit, context);
      const members = node.members.filter((member) => !ts.isConstructorDeclaration(member));
      const { modifiers, name, typeParameters, heritageClauses } = node;
      return ts.factory.updateClassDeclaration(
        node,
        modifiers,
        name,
        typeParameters,
        heritageClauses,
        members,
      );
    };
    return visit(root) as ts.SourceFile | ts.Bundle;
  };
}

/** The classes that a module exports as values, and those that they extend. */
function classesOf(checker: ts.TypeChecker, entry: ts.SourceFile): ts.Node[] {
  const values = checker
    .getExportsOfModule(checker.getSymbolAtLocation(entry)!)
    .filter((symbol) => !symbol.declarations?.some(isTypeOnly))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
  return values.flatMap(({ valueDeclaration }) => lineOf(checker, valueDeclaration));
}

function lineOf(checker: ts.TypeChecker, declaration: ts.Declaration | undefined): ts.Node[] {
  if (!declaration || !ts.isClassDeclaration(declaration)) return [];
  const bases = checker.getTypeAtLocation(declaration).getBaseTypes() ?? [];
  return [declaration, ...bases.flatMap(({ symbol }) => lineOf(checker, symbol?.valueDeclaration))];
}

function isTypeOnly(declaration: ts.Declaration): boolean {
  return (
    ts.isExportSpecifier(declaration) && (declaration.isTypeOnly || declaration.parent.parent.isTypeOnly)
  );
}
