"""The signs of Spanish. Read folded (`tongues.fold`): lower case, without accents, n for ñ."""

from __future__ import annotations

from typing import Final

from firstline.domain import Intent
from firstline.questions.message.signs import Tongue, pattern, signs

_MINE: Final = r"(?:mis?|nuestr[oa]s?)"
_HELD: Final = r"(?:suscripcion|contrato|plan|membresia|abono|tarifa|poliza|licencia|seguro)"
_DATA: Final = r"(?:cuentas?|perfil|datos|informacion)"
_DELETE: Final = r"(?:elimin|borr|suprim|destru)\w*|supresion"
_CHILD: Final = rf"{_MINE}\s+(?:\w+\s+){{0,1}}?(?:hij[oa]s?|nin[oa]s?)|menor(?:es)?\s+de\s+edad"
_NOT_THERE: Final = r"(?!.{0,40}\b(?:tablas?|indice|cache|base|coleccion|carpeta)\b)"
_WANT: Final = r"(?:quiero|quisiera|queremos|exijo|exigimos|pido|solicito|necesito|espero|reclamo|deseo)"
_CHARGE: Final = r"(?:cargo|cobro|pago|factura|importe)"
_RECORD: Final = (
    r"(?:pedido|paquete|envio|entrega|factura|cuenta|acceso|ticket|solicitud|reserva|saldo|reembolso|devolucion"
    r"|contrato"
    r"|pago|transferencia|contrasena|limite|direccion|reparacion|cita|puntos)"
)
_TELL: Final = (
    r"(?:da(?:me|nos)?|deme|den(?:me)?|muestr\w+|ensen\w+|envi\w+|dime|digame|dar\w*|ver|leer|lee|cual"
    r"|que|necesito|quiero)"
)
_TURN: Final = (
    r"(?:restabl(?:ecer|ezcan?)|desbloque(?:ar|en?)|activ(?:ar|en?)|cambi(?:ar|en?)|revis(?:ar|en?)|aument(?:ar|en?))"
)

SPANISH: Final = Tongue(
    high=signs(
        (
            Intent.LEGAL,
            rf"""\b{_MINE}\s+abogad[oa]s?\b | \b(?:contratar|contratado|consultar
            |llamar\s+a)\s+(?:a\s+)?una?\s+abogad[oa]\b
            | \b(?:os|los|les|te|las)\s+(?:voy|vamos)\s+a\s+(?:demandar|denunciar)\b | \b(?:demandar
            |denunciar)(?:los|les|os|te)\b
            | \b(?:a|ante|en)\s+(?:los\s+)?(?:tribunales|juicio)\b
            | \b(?:os|los|les|te|lo|la)\s+(?:demandar|denunciar)(?:e|emos)\b
            | \bagencia\s+(?:\w+\s+)?de\s+proteccion\s+de\s+datos\b | \b(?:acciones|medidas)\s+legales\b
            | \bante\s+(?:un|el)\s+juez\b
            | \b(?:presentar|poner|interponer)\s+una\s+(?:demanda|denuncia)\b | \bdanos\s+y\s+perjuicios\b
            | \bacceso\s+a\s+(?:todos\s+)?{_MINE}\s+datos\s+personales\b
            | \bque\s+(?:datos|informacion)\b.{{0,40}}\bsobre\s+(?:mi|nosotros)\W*(?:$|[.?!,;])
            | \brgpd\b.{{0,40}}(?:denuncia|incumplimiento|acceso) | \bacceso\b.{{0,40}}\brgpd\b
            | \b(?:{_CHILD})\b.{{0,80}}\bsin\s+(?:mi|nuestro)\s+(?:permiso|consentimiento|autorizacion)\b""",
        ),
        (
            Intent.DELETION,
            rf"""\b(?:{_DELETE})(?:\W+\w+){{0,3}}?\W+{_MINE}\s+(?:\w+\s+){{0,1}}?{_DATA}\b{_NOT_THERE}
            | \b(?:eliminacion|borrado|supresion)\s+de\s+(?:todos\s+)?{_MINE}\s+{_DATA}
            | \b(?:rgpd|gdpr)\b.{{0,60}}\b(?:{_DELETE}) | \b(?:{_DELETE})\b.{{0,60}}\b(?:rgpd|gdpr)\b
            | \b(?:{_DELETE})\b.{{0,40}}\b(?:sobre|de)\s+(?:mi|nosotros)\W*(?:$|[.?!,;])
            | \bderecho\s+(?:al\s+olvido|de\s+supresion)\b
            | \b(?:{_CHILD})\b.{{0,120}}\b(?:{_DELETE}) | \b(?:{_DELETE})\b.{{0,60}}\b(?:{_CHILD})\b""",
        ),
        (
            Intent.BILLING_DISPUTE,
            rf"""\bdev(?:uelv|olv|olu)\w*\b.{{0,25}}\b(?:dinero|importe|cobrado|plata)\b
            | \b{_WANT}\b.{{0,30}}\breembols\w* | \breembols(?:en|e|ad|ar)(?:me|nos)\b
            | \b(?:cobr|factur|cargad|cargar)\w*\b.{{0,30}}\b(?:dos\s+veces|2\s+veces|doble|de\s+mas|por\s+duplicado)\b
            | \b(?:cobro|cargo|pago)\s+(?:doble|duplicado|indebido|fraudulento|no\s+autorizado)\b
            | \bno\s+(?:reconozco|reconocemos|autorice)\s+(?:este|ese|el|un|esta|esa|la|ningun)\s+{_CHARGE}\b
            | \bfactura\b.{{0,20}}\b(?:esta\s+mal|es\s+(?:incorrecta|erronea|falsa))
            | \bno\s+(?:la\s+|lo\s+)?(?:voy|vamos)\s+a\s+pagar\w*\b | \bno\s+(?:la\s+|lo\s+)?pagare(?:mos)?\b
            | \b(?:quit|sac|cobr|carg)(?:aron|ado)\b.{{0,25}}\bsin\s+(?:mi|nuestr[oa])\b
            | \bchargeback\b | \b(?:nunca|jamas)\s+autorice\b | \bdisputar\s+(?:este|el|un)\s+{_CHARGE}\b""",
        ),
        (
            Intent.COMPLAINT,
            r"""\b(?:presentar|poner|hacer|interponer|formular|presento|pongo)\s+(?:una|mi)\s+(?:\w+\s+)?(?:queja
            |reclamacion)\b
            | \b(?:queja|reclamacion)\s+(?:formal|oficial)\b | \bquejar(?:me|nos)\b | ^\W*(?:queja|reclamacion)\b""",
        ),
        (
            Intent.CANCELLATION,
            rf"""\b(?:cancel|anul|rescind|finaliz|termin|cort|par(?:ar|en))\w*\s+(?:ya\s+
            |con\s+)?{_MINE}\s+(?:\w+\s+){{0,1}}?(?:{_HELD}|servicio)\b
            | \b(?:cancel|anul|rescind|finaliz|termin)\w*\s+(?:el|la|este|esta)\s+(?:suscripcion|contrato|membresia)\b
            | \bcancelacion\s+de(?:l)?\s+(?:{_MINE}\s+)?(?:suscripcion|contrato|membresia)\b
            | \bya\s+no\s+(?:necesito|quiero|queremos)\b.{{0,12}}\b{_HELD}\b | \bderecho\s+de\s+desistimiento\b
            | \b(?:cerrar|cierren?|cierra|cancel\w+)\s+{_MINE}\s+cuenta\b
            | \b(?:darme|darnos|denme|dame|deme|dadme|doy|damos)\s+de\s+baja\b | \bme\s+quiero\s+dar\s+de\s+baja\b
            | \b(?:dar|dad|den|da|de)\s+de\s+baja\s+(?:{_MINE}|el|la)\s+(?:\w+\s+){{0,1}}?(?:{_HELD}|servicio|cuenta)\b
            | \b(?:solicit\w+|quiero)\s+(?:la\s+)?baja\b""",
        ),
    ),
    policy=pattern(
        r"""\b(?:si|cuando|despues\s+de\s+que|antes\s+de\s+que)\s+(?:me\s+|yo\s+)?(?:cancelo|elimino|borro|doy
        |cancelamos)\b
        | \b(?:politica|condiciones|reglas|plantilla|plazo|modelo)\s+de\b"""
    ),
    private=pattern(
        rf"""\botros\s+(?:client|usuari|abonad)\w*\b.{{0,40}}\b(?:da(?:me|nos)|dime|muestr\w+
        |ensen\w+)\b.{{0,15}}\b(?:nombres?|correos|direccion\w*)\b
        | \b{_TELL}\b.{{0,60}}\b(?:de|del|a)\s+(?:los\s+|las\s+)?otr[oa]s?\s+(?:client|usuari|participant|pacient
        |inquilin|miembr|abonad)\w*
        | \b{_TELL}\b.{{0,30}}\b(?:contrasena|mensajes|correos?|direccion|salario|sueldo|telefono|numero)\s+(?:de
        |del)\s+
          (?:mi|mis|nuestr[oa])\s+(?:jef|mujer|espos|marido|ex|vecin|amig|companer|novi|hij)\w*
        | \b(?:cual\s+es|dime|dame|muestr\w+|ensen\w+)\b.{{0,20}}\b(?:contrasena|credenciales
        |clave)\s+(?:del?\s+)?(?:admin\w*|root
          |maestra)\b
        | \b(?:muestr\w+|ensen\w+|dime|dame|revela\w*|repite)\b.{{0,20}}\b(?:tus?|sus?|vuestr[oa]s?)\s+(?:prompt
        |instrucciones)\b
        | \b(?:muestr\w+|ensen\w+|dame)\b.{{0,20}}\b(?:notas|documentos)\s+(?:intern[oa]s|confidenciales)\b"""
    ),
    account=pattern(
        rf"""\bdonde\s+(?:esta|estan|queda)\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b
        | \bcuando\b.{{0,25}}\b{_MINE}\s+(?:\w+\s+)?(?:pedido|paquete|envio|entrega|reembolso|solicitud|reparacion)\b
        | \bpor\s*que\b.{{0,30}}\b(?:bloquead|suspendid|desactivad|rechazad
        |cancelad)[oa]\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b
        | \bpor\s*que\b.{{0,15}}\b{_MINE}\s+(?:\w+\s+)?{_RECORD}\b.{{0,25}}\b(?:bloquead|suspendid|desactivad
        |rechazad|cancelad)[oa]
        | \b(?:puede[ns]?|podri(?:a|an|ais)|podeis)\b.{{0,15}}\b{_TURN}\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\b
        | (?:^|[.!,]\s{{0,4}})\W{{0,8}}(?:por\s+favor,?\s+)?
           {_TURN}\s+{_MINE}\s+(?:\w+\s+)?{_RECORD}\s*(?:,?\s*por\s+favor)?\W*$
        | \b{_MINE}\s+(?:cuenta|acceso)\s+(?:esta|ha\s+sido|fue)\s+(?:bloquead|suspendid|desactivad)[oa]
        | \bcual\s+es\s+(?:el\s+(?:saldo|estado|importe)\s+de\s+)?{_MINE}\s+(?:saldo|pedido|cuenta|factura)\b
        | \b(?:pedido|ticket|factura|cliente|envio|reserva)\s+(?:numero|n[o°º]\.?|num\.?|\#)?\s*\#?\d{{3,}}"""
    ),
    intents=signs(
        (Intent.HOW_TO, r"^\W*(?:\w+\W+){0,3}?como\s+(?:se\s+|puedo|podemos|hago|\w+o\b|\w+r\b|\w+mos\b)"),
        (
            Intent.CAUSE,
            r"""\b(?:por\s*que|razon|causa|motivo|a\s+que\s+se\s+debe)\b | \b(?:error|errores|falla|fallo|fallan
            |cuelga|roto)\b
            | \bno\s+(?:me\s+|se\s+)?(?:arranca|funciona|conecta|responde|abre|inicia|puedo|deja|carga)\b""",
        ),
        (Intent.HOW_TO, r"\bcomo\s+(?:puedo|podemos|hago|se)\b | \b(?:pasos|procedimiento|manera\s+de)\b"),
        (Intent.WHICH, r"\b(?:cual(?:es)?|diferencia|quien|cuando)\b"),
        (Intent.YES_NO, r"^\W*(?:se\s+puede|puedo|hay|es\s+posible|tiene|soporta)\b"),
        (Intent.REFERENCE, r"\b(?:que|significa|lista|cuanto|cuesta)\b"),
    ),
    upset=pattern(
        r"""\b(?:inaceptable|vergonzoso|verguenza|hart[oa]s?|furios[oa]|ridicul[oa]|porqueria|estafa|mierda|pesim[oa]
        |enfadad[oa]|enojad[oa]|indignante|lamentable|desastre)\b"""
    ),
    off_task=pattern(
        r"""\b(?:escrib\w+|cuenta(?:me|nos)|cuente\w*|canta\w*|inventa\w*)\b(?:\W+\w+){0,4}?\W+(?:poema|chiste
        |historia|cancion
        |cuento|deberes|adivinanza)\b | \bque\s+tiempo\s+(?:hace|hara)\b | \bte\s+quiero\b"""
    ),
)
