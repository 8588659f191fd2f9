"""The phrases of small talk in German, French, Spanish and Japanese: written as they are said, read without accents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firstline.domain import Talk

ELSEWHERE: Final[Mapping[Talk, str]] = {
    Talk.ABOUT_ME: """
        wer bist du|wer bist du eigentlich|wer sind sie|was bist du|wie heißt du|wie ist dein name|was kannst du
        |bist du ein bot|bist du ein roboter|bist du ein mensch|bist du eine maschine|bist du eine ki|bist du echt
        |sind sie ein bot|sind sie ein mensch|sind sie ein roboter|rede ich mit einem bot|rede ich mit einem menschen
        |spreche ich mit einem bot|spreche ich mit einem menschen|chatte ich mit einem bot
        |chatte ich mit einem menschen
        |qui es tu|qui êtes vous|tu es qui|vous êtes qui|comment tu t'appelles|comment t'appelles tu
        |tu es un robot|tu es un bot|es tu un robot|es tu un bot|es tu un humain|tu es un humain|tu es une machine
        |vous êtes un robot|vous êtes un humain|êtes vous un robot|êtes vous un humain|êtes vous un bot|es tu une ia
        |est ce que tu es un robot|est ce que vous êtes un robot|je parle à un robot|je parle à un humain
        |que sais tu faire
        |quién eres|quién eres tú|quién es usted|qué eres|cómo te llamas|eres un bot|eres un robot|eres un humano
        |eres humano|eres humana|eres una persona|eres una persona real|eres una máquina|eres una ia|es usted un robot
        |es usted una persona|hablo con un robot|hablo con un bot|hablo con una persona|qué puedes hacer
    """,
    Talk.THANKS: """
        danke schön|dankeschön|herzlichen dank|vielen herzlichen dank|tausend dank|ich danke dir|ich danke ihnen
        |danke ihnen|danke euch|danke für die hilfe|danke für ihre hilfe|danke für deine hilfe|danke für eure hilfe
        |nein danke|danke nein|das war sehr hilfreich|sehr hilfreich|das ist sehr nett|lieben dank|danke vielmals
        |mille mercis|un grand merci|grand merci|merci à vous|merci à toi|merci infiniment|je vous remercie
        |je te remercie
        |merci pour votre aide|merci pour ton aide|merci pour l'aide|merci de votre aide|merci d'avance|non merci
        |c'est très gentil|très utile|c'était très utile
        |gracias por la ayuda|gracias por su ayuda|gracias por tu ayuda|gracias por todo|muchísimas gracias
        |se lo agradezco
        |te lo agradezco|muy agradecido|muy agradecida|no gracias|muy amable|muy útil|muchas gracias por la ayuda
    """,
    Talk.GREETING: """
        hallo zusammen|hallo alle|guten tag zusammen|grüß gott|grüezi|na|wie geht es dir|wie geht es ihnen|wie geht's
        |moin moin|ist da jemand|jemand da|bonsoir|bonjour à tous|bonjour madame|bonjour monsieur|coucou|comment ça va
        |ça va|comment allez vous|comment vas tu|il y a quelqu'un|enchanté|hola a todos|buenas|buenas noches|buen día
        |hola buenas|hola qué tal|qué tal|cómo estás|cómo está usted|hay alguien|hay alguien ahí
    """,
    Talk.FAREWELL: """
        tschüss|tschüß|tschau|bis bald|bis dann|bis später|bis morgen|auf wiederhören|schönen tag|schönen tag noch
        |einen schönen tag|einen schönen tag noch|schönen abend|schönen abend noch|schönes wochenende|mach's gut
        |gute nacht|das war's|das wäre alles|das war alles|à bientôt|à plus|à plus tard|à demain|bonne journée
        |bonne soirée
        |bonne nuit|bon week end|bonne fin de journée|c'est tout|ce sera tout|hasta pronto|hasta mañana|hasta la vista
        |nos vemos|chao|chau|que tenga un buen día|que tengas un buen día|buen fin de semana|eso es todo|nada más
        |un saludo
    """,
    Talk.NOD: """
        alles klar|klar|na klar|gut|sehr gut|passt|passt so|in ordnung|verstehe|ich verstehe|ich habe verstanden|stimmt
        |okidoki|prima|toll|spitze|wunderbar|ausgezeichnet|genial|ach so|aha verstehe|jo|jep|jawohl|kein problem
        |macht nichts
        |très bien|parfait|entendu|compris|j'ai compris|je vois|c'est bon|c'est noté|bien|bien sûr|génial
        |excellent|ouais
        |pas de problème|pas de souci|ça marche merci|de acuerdo|sí|claro|claro que sí|muy bien|bien|bueno
        |perfecto|genial
        |estupendo|comprendo|entiendo|lo entiendo|ya veo|está bien|excelente|sin problema|no hay problema|no pasa nada
    """,
    Talk.SOLVED: """
        gelöst|problem gelöst|das problem ist gelöst|problem ist gelöst|es ist gelöst|erledigt|hat sich erledigt
        |das hat sich erledigt|hat geklappt|das hat geklappt|es hat geklappt|es klappt|klappt|klappt jetzt
        |jetzt klappt es
        |funktioniert jetzt|jetzt funktioniert es|es funktioniert jetzt|es funktioniert wieder|jetzt geht es
        |es geht jetzt
        |es geht wieder|jetzt geht es wieder|geht jetzt|geht wieder|jetzt läuft es|jetzt läuft es wieder|es läuft
        |es läuft wieder
        |läuft|läuft wieder|das hat mir geholfen|das hat mir sehr geholfen|das hat sehr geholfen|hat geholfen
        |das war die lösung|das war es|résolu|c'est résolu|problème résolu|le problème est résolu|c'est réglé|réglé
        |problème réglé|le problème est réglé|ça fonctionne|ça fonctionne maintenant|ça marche maintenant
        |maintenant ça marche
        |maintenant ça fonctionne|cela fonctionne|cela fonctionne maintenant|ça a marché|ça a fonctionné
        |ça m'a aidé|cela m'a aidé
        |c'était ça|resuelto|problema resuelto|está resuelto|ya está resuelto|el problema está resuelto|solucionado
        |problema solucionado|está solucionado|ya está solucionado|ya funciona|ahora funciona|ahora sí funciona
        |ya me funciona
        |funcionó|eso funcionó|me funcionó|ha funcionado|me ha funcionado|me sirvió|me ayudó|me ha ayudado
        |eso ayudó|ya está|listo
    """,
}
FILLERS_ELSEWHERE: Final = """
    sehr|so|dir|ihnen|euch|noch|noch mal|nochmal|auch|mal|dann|und|zusammen|wieder|jetzt|leute|für alles|wirklich|einen
    |für die hilfe|für ihre hilfe|für deine hilfe|für die schnelle hilfe|für die antwort|allerseits
    |très|bien|encore|et|alors|à tous|vraiment|maintenant|pour tout|madame|monsieur|pour votre aide|pour ton aide
    |pour l'aide|pour votre réponse|beaucoup
    |muy|y|a todos|otra vez|entonces|ahora|ya|de nuevo|amigo|señor|señora|por la ayuda|por su ayuda|por tu ayuda
       |por todo
    |por la respuesta
"""

JAPANESE: Final[Mapping[Talk, str]] = {
    Talk.ABOUT_ME: """
        あなたは誰ですか|あなたは誰|誰ですか|君は誰|どなたですか|あなたは何者ですか|お名前は|名前は何ですか
        |お名前は何ですか
        |ボットですか|ロボットですか|人間ですか|AIですか|機械ですか|あなたはボットですか|あなたはロボットですか
        |あなたは人間ですか|あなたはAIですか|あなたは機械ですか|何ができますか|あなたは何ができますか
    """,
    Talk.THANKS: """
        ありがとう|ありがとうございます|ありがとうございました|有難うございます|有難うございました
        |有り難うございます|有難う
        |どうもありがとう|どうもありがとうございます|どうもありがとうございました|感謝します|感謝いたします
        |サンキュー|あざます
        |助かりました|助かります|大変助かりました|とても助かりました|ご対応ありがとうございます
        |ご対応ありがとうございました
        |ご回答ありがとうございます|ご回答ありがとうございました|お世話になりました
    """,
    Talk.GREETING: """
        こんにちは|こんにちわ|こんばんは|おはよう|おはようございます|はじめまして|初めまして
        |お世話になっております|お世話になります
        |もしもし|やあ|ハロー|よろしくお願いします|よろしくお願いいたします|宜しくお願いします|お疲れ様です
        |お疲れさまです
        |誰かいますか
    """,
    Talk.FAREWELL: """
        さようなら|さよなら|またね|ではまた|それではまた|じゃあね|じゃあまた|バイバイ|失礼します|失礼いたします
        |おやすみ
        |おやすみなさい|以上です|良い一日を
    """,
    Talk.NOD: """
        はい|うん|ええ|わかりました|分かりました|わかった|分かった|了解|了解です|了解しました|了解いたしました
        |承知しました
        |承知いたしました|なるほど|オッケー|オーケー|いいですね|いいね|大丈夫です|すごい|すごいですね|素晴らしい
        |素晴らしいです
        |完璧|完璧です|いえ|そうですか|そうですね|そうなんですね|問題ありません
    """,
    Talk.SOLVED: """
        解決|解決しました|解決済み|解決済みです|問題は解決しました|問題が解決しました|直りました|治りました
        |直った|動きました
        |動くようになりました|動いた|できました|出来ました|できた|うまくいきました|上手くいきました|成功しました
        |使えるようになりました|役に立ちました
    """,
}
JAPANESE_FILLERS: Final = """
    ね|よ|です|本当に|とても|大変|おかげで|おかげさまで|お陰様で|無事|無事に|これで|もう|どうも|それでは|では
       |じゃあ|皆さん
    |みなさん|全部|また|すぐに|教えてくれて|助けてくれて|早速の|OK|ok
"""
