"""Which headings name a part of a ticket? The words that pages and tickets use for symptom, environment, cause and
resolution, in the languages that firstline answers in. Shared vocabulary; it calls no step.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from firstline.domain import ChunkKind

_NAMES: Final = {
    ChunkKind.SYMPTOM: """
        symptom | symptoms | problem | problems | meaning | question | issue | problem abstract | problem description
        problem statement | problem summary | issue description | error description | error message | what happens
        description of the problem | observed behavior | observed behaviour
        problembeschreibung | fehlerbeschreibung | fehlerbild | fehlermeldung | symptome | bedeutung | frage
        beschreibung des problems | beobachtetes verhalten | was passiert
        symptôme | symptômes | problème | problèmes | description du problème | description de l erreur
        message d erreur | signification | comportement observé
        síntoma | síntomas | problema | problemas | descripción del problema | descripción del error
        mensaje de error | pregunta | significado | comportamiento observado
        症状 | 現象 | 事象 | 問題 | 問題の説明 | エラーメッセージ | 質問 | 现象 | 问题描述
        """,
    ChunkKind.ENVIRONMENT: """
        environment | environments | affected versions | affected environment | affected products | versions affected
        affected products and versions | applies to | product versions | supported versions
        umgebung | umgebungen | betroffene versionen | betroffene produkte | betroffene produkte und versionen
        gilt für
        environnement | environnements | versions concernées | versions affectées | produits concernés | s applique à
        entorno | entornos | versiones afectadas | productos afectados | se aplica a
        環境 | 対象バージョン | 対象環境 | 影響を受けるバージョン | 环境 | 适用版本
        """,
    ChunkKind.CAUSE: """
        cause | causes | root cause | root causes | possible causes | likely cause | likely causes | why this happens
        reason
        ursache | ursachen | grund | mögliche ursache | mögliche ursachen | hauptursache | fehlerursache
        grundursache | wahrscheinliche ursache | warum das passiert
        cause racine | causes racines | cause première | causes possibles | cause probable | origine | raison
        origine du problème
        causa | causas | causa raíz | causas raíz | causas posibles | posibles causas | causa probable
        motivo | causa del problema
        原因 | 根本原因 | 考えられる原因
        """,
    ChunkKind.RESOLUTION: """
        resolution | resolutions | fix | fixes | mitigation | mitigations | solution | solutions | workaround
        workarounds | remedy | answer | accepted answer | remediation | remediation fixes
        workarounds and mitigations | recommended action | recommended actions | corrective action | what to do
        resolving the problem | problem solution | how to fix | how to resolve | how to fix it | local fix
        problem conclusion
        lösung | lösungen | behebung | fehlerbehebung | problemlösung | abhilfe | maßnahme | maßnahmen
        empfohlene maßnahme | empfohlene maßnahmen | problembehebung | umgehung | umgehungslösung | antwort | was tun
        lösungsweg
        résolution | résolution du problème | correction | corrections | correctif | contournement | remède
        solution de contournement | action recommandée | actions recommandées | réponse | que faire
        solución | soluciones | resolución | corrección | solución alternativa | acción recomendada | respuesta
        acciones recomendadas | solución del problema | qué hacer
        解決策 | 解決方法 | 解決 | 対処 | 対処法 | 対処方法 | 対策 | 回避策 | 回答 | 解决方案 | 解决方法
        """,
}
"""One name between bars or on a line, as it is written; `heading_words` is what both sides are compared by."""


def heading_words(title: str) -> str:
    """A heading without case, accents, figures and punctuation: "2. Lösung:" is "losung"."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", title.casefold()) if not unicodedata.combining(one))
    return " ".join(re.sub(r"[^\w ]+|[\d_]+", " ", plain).split())


PART_NAMES: Final = {
    heading_words(name): kind for kind, names in _NAMES.items() for name in re.split(r"[|\n]", names) if name.strip()
}


def part_named(title: str) -> ChunkKind | None:
    """The part of a ticket that this heading names; None: it names none."""
    return PART_NAMES.get(heading_words(title))
