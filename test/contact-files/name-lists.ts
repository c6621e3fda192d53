/** Names and towns with letters beyond ASCII, and the older character sets that files in the language have. */
export interface NameList {
  characterSets: readonly string[]
  names: readonly string[]
}

const names = (text: string): string[] => text.split('|')

export const nameLists: Record<string, NameList> = {
  de: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15'],
    names: names(
      'Jürgen|Günther|Jörg|Björn|Käthe|Bärbel|Jürg|Sören|Rüdiger|Götz|Hänsel|Dörte|Ännchen|Zoë|Lütger|Brünhilde|Kätchen|Hannelöre|René|Köbi|Göran|Änne|Müller|Schröder|Schäfer|Krüger|Köhler|König|Jäger|Groß|Weiß|Böhm|Möller|Lößner|Strauß|Grün|Vogelsänger|Bäcker|Förster|Hübner|Kämpfer|Dörfler|Rößler|Büchner|Österreicher|Übelacker|Schönfeld|Preuß|Händel|Mößmer|Stäheli|Fußbroich|München|Köln|Düsseldorf|Nürnberg|Würzburg|Lübeck|Münster|Saarbrücken|Göttingen|Tübingen|Gießen|Meißen|Görlitz|Zürich|Fürth|Osnabrück|Schwäbisch|Gmünd|Überlingen|Öhringen|Tölz|Ludwigshöhe|Köthen'
    )
  },
  fr: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15'],
    names: names(
      'François|Hélène|André|Éric|Jérôme|Chloé|Noël|Aurélie|Gaëlle|Benoît|Loïc|Zoé|Stéphane|Cédric|Frédéric|Véronique|Mélanie|Raphaël|Joël|Thérèse|Anaïs|Léa|Étienne|Désiré|Geneviève|Gisèle|Maëlys|Lefèvre|Bézier|Gérard|Crépin|Bérenger|Châtelain|Lemaître|Côté|Poirée|Duchêne|Prévost|Légaré|Beauséjour|Tessé|Maréchal|Ménard|Hébert|Béranger|Garçon|Forêt|Nédélec|Père|Bœuf|Lecœur|Maçon|Guérin|Léger|Orléans|Besançon|Nîmes|Angoulême|Béziers|Saint-Étienne|Évreux|Compiègne|Alès|Sète|Mâcon|Châteauroux|Épinal|Crépy|Périgueux|Sèvres|Chambéry|Vénissieux|Créteil|Asnières|Évry|Liège|Genève|Alençon'
    )
  },
  es: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15'],
    names: names(
      'José|María|Andrés|Ángel|Jesús|Mónica|Inés|Raúl|Óscar|Íñigo|Sofía|Lucía|Víctor|Tomás|Joaquín|Álvaro|Begoña|Rocío|Martín|Nicolás|Verónica|Iván|Rubén|Concepción|García|Fernández|González|Rodríguez|López|Martínez|Sánchez|Pérez|Gómez|Jiménez|Muñoz|Núñez|Ibáñez|Ordóñez|Álvarez|Díaz|Vázquez|Suárez|Gutiérrez|Peña|Cañas|Castaño|Yáñez|Méndez|Agüero|Málaga|Córdoba|Cádiz|León|Logroño|Ávila|Cáceres|Jaén|Almería|Castellón|Mérida|Gijón|Avilés|Alcalá|Móstoles|Alcorcón|Coruña|Sebastián|Ibiñez|Úbeda|Bogotá|Medellín|Güímar|Peñíscola'
    )
  },
  pt: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15'],
    names: names(
      'João|António|José|Luís|Inês|Sónia|Cátia|Mónica|Conceição|Sebastião|Simão|Estêvão|Fábio|Vítor|Júlia|Lúcia|Flávio|Otávio|Antônio|Sérgio|Patrícia|Ângela|Verónica|Cândida|Gonçalves|Conceição|Araújo|Magalhães|Guimarães|Simões|Assunção|Falcão|Leitão|Brandão|Galvão|Sá|Mourão|Lourenço|Antão|Estevão|Camões|Patrício|Bragança|Romão|Fragoço|Durães|Salomão|Frazão|Brás|São|Évora|Setúbal|Guimarães|Santarém|Covilhã|Olhão|Tavarés|Bragança|Portimão|Maceió|Brasília|Goiânia|Florianópolis|Belém|Vitória|Niterói|São|Luís|Cuiabá|Macapá|Viseú|Póvoa|Loulé|Fátima'
    )
  },
  it: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15'],
    names: names(
      'Niccolò|Nicolò|Cloè|Noè|Mosè|Giosuè|Desirè|Salomè|Aimè|Zoè|Jusè|Corè|Libertà|Felicità|Carità|Bontà|Lulù|Gesù|Mimì|Fifì|Totò|Cocò|Dalò|Forlì|Calà|Cannavò|Mulè|Pirlò|Nicolè|Cantù|Barillà|Cefalù|Patanè|Scibè|Caracò|Virgà|Sanfilì|Agrò|Spanò|Laganà|Romanò|Calabrò|Mandalà|Arculò|Fragalà|Papalìa|Scalì|Bordì|Cucè|Zappalà|Nisticò|Forlì|Cantù|Cefalù|Nardò|Patù|Mondovì|Santarcà|Lissòn|Alà|Palù|Canicattì|Corfù|Salò|Muggiò|Cirò|Almè|Agliè|Mompantè|Roccapalì|Viù|Bardolà|Cavallerlì|Temù|Calò|Acquanì|Grantù|Vò|Rò'
    )
  },
  sv: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15', 'iso-8859-10'],
    names: names(
      'Åsa|Björn|Göran|Jörgen|Märta|Håkan|Pär|Sören|Örjan|Östen|Åke|Måns|Mårten|Kåre|Ragnhäll|Görel|Lovisä|Gösta|Ebbå|Ingegärd|Pål|Tör|Börje|Sjöberg|Ström|Löfgren|Åkesson|Öberg|Åberg|Lindström|Bergström|Sjögren|Björk|Söderberg|Hägg|Blåsjö|Månsson|Mårtensson|Gråberg|Höglund|Nyström|Wikström|Järvinen|Ängqvist|Åström|Hällström|Källström|Sandström|Nordström|Malmö|Göteborg|Västerås|Örebro|Linköping|Norrköping|Jönköping|Umeå|Gävle|Borås|Södertälje|Växjö|Luleå|Östersund|Trollhättan|Skövde|Ängelholm|Åmål|Härnösand|Piteå|Kävlinge|Mjölby|Säffle|Åre'
    )
  },
  da: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15', 'iso-8859-10'],
    names: names(
      'Søren|Jørgen|Jørn|Bjørn|Åse|Pål|Sørine|Kåre|Øyvind|Håkon|Jørgine|Gøsta|Næmi|Ærø|Åge|Bjørk|Møns|Lærke|Sæunn|Torbjørn|Asbjørn|Køne|Måns|Sørensen|Jørgensen|Møller|Kjær|Østergård|Nørgaard|Bøgh|Skjødt|Højgaard|Mølgaard|Bæk|Ågård|Brøndum|Søndergaard|Kjærgaard|Lægård|Rømer|Skovgård|Hedegård|Bjørnsen|Holmgård|Ravnkjær|Krøyer|Kølbæk|København|Århus|Ålborg|Helsingør|Næstved|Køge|Sønderborg|Hillerød|Tønder|Holbæk|Ringkøbing|Nykøbing|Rødovre|Hjørring|Brønderslev|Løgstør|Ærøskøbing|Præstø|Rønne|Farsø|Skælskør|Åbenrå|Græsted|Støvring'
    )
  },
  fi: {
    characterSets: ['windows-1252', 'macintosh', 'iso-8859-15', 'iso-8859-4'],
    names: names(
      'Väinö|Päivi|Yrjö|Äijö|Hämärä|Jyrä|Tähti|Säde|Töyry|Köpi|Päivikki|Päiviö|Väinämö|Sämpsä|Lyyjä|Kyösti|Tyyrä|Pärttyli|Räihä|Höpö|Käpy|Mäkinen|Hämäläinen|Jääskeläinen|Lämsä|Mäkelä|Mäki|Hyvönen|Pöyhönen|Väisänen|Kärkkäinen|Räsänen|Pitkänen|Määttä|Rönkä|Seppälä|Törmänen|Kähkönen|Häkkinen|Ylönen|Lähteenmäki|Järvinen|Väyrynen|Höglund|Åkerman|Tiilikäinen|Jyväskylä|Hämeenlinna|Mäntsälä|Seinäjoki|Järvenpää|Äänekoski|Pietarsääri|Riihimäki|Ylöjärvi|Härmälä|Hyvinkää|Sääri|Lempäälä|Pöytyä|Sipöö|Närpiö|Sodankylä|Enontekiö|Kittilä|Ähtäri|Mänttä|Hämeenkyrö|Ypäjä|Åbo'
    )
  },
  pl: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'Małgorzata|Łukasz|Michał|Paweł|Stanisław|Władysław|Mirosław|Jarosław|Zdzisław|Bożena|Grażyna|Elżbieta|Wiesława|Mikołaj|Świętosława|Bolesław|Józef|Ludwików|Agnieszkę|Żaneta|Gawełek|Radosław|Sławomir|Rafał|Bartłomiej|Wójcik|Kamiński|Lewandowski-Żak|Zieliński|Szymański|Woźniak|Dąbrowski|Kozłowski|Jabłoński|Wróblewski|Pawłowski|Wiśniewski|Zając|Król|Piątek|Sokołowski|Gołąb|Żukowski|Świątek|Ćwikła|Kaźmierczak|Źrebiec|Głowacki|Kołodziej|Gąsior|Sęk|Górski|Łódź|Kraków|Poznań|Gdańsk|Wrocław|Białystok|Częstochowa|Toruń|Rzeszów|Świdnica|Zakopańsk|Bielsko-Biała|Gorzów|Elbląg|Zamość|Ostrołęka|Włocławek|Żary|Świebodzin|Grudziądz|Przemyśl|Piła|Ełk|Wałbrzych|Tarnów|Chełm'
    )
  },
  cs: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'Jiří|Tomáš|Lukáš|Zdeněk|Václav|Ondřej|Jaroslavá|František|Bohumíř|Kateřina|Lenička|Markéta|Tereška|Veronička|Jiřina|Zdeňka|Lucíe|Anežka|Vojtěch|Matěj|Šimon|Štěpán|Radčin|Božena|Žofie|Růžena|Novák|Dvořák|Černý|Procházka|Kučera|Veselý|Horáček|Němec|Pokorný|Pospíšil|Hájek|Jelínek|Růžička|Beneš|Sedláček|Doležal|Kolář|Krejčí|Čermák|Vaněk|Urbánek|Kříž|Kopecký|Šimek|Říha|Žák|Konečný|Malý|Plzeň|Řepčín|Králové|České|Budějovice|Ústí|Pardubičky|Zlín|Karviná|město|Děčín|Chomutůvek|Přerov|Prostějov|Nisoú|Třebíč|Znojmíř|Příbram|Háje|Trutnóv|Žďár|Šumperk|Hodonín|Kroměříž|Vsetín|Uherský|Čáslav'
    )
  },
  sk: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'Ján|Ľubomír|Štefan|Jozefína|Mária|Ľudmila|Tomáš|Lukáš|Michaľ|Božena|Žaneta|Matúš|Ľuboš|Katarína|Veronikä|Šimon|Dušan|Radúz|Gréta|Slávka|Oľga|Daniš|Alžbeta|Anežka|Félix|Kováč|Horváth|Tóth|Nagyová|Balážová|Molnár|Lukáč|Hudák|Kráľ|Baláž|Polák|Vaško|Ševčík|Gajdoš|Urbanová|Michalík|Bartoš|Kollár|Oravecová|Ďurica|Čierny|Škoda|Žiak|Vlčko|Ťažký|Stôl|Hôrka|Kňaze|Košice|Žilina|Prešov|Banská|Trenčín|Veľká|Zvoleň|Považská|Nové|Zámky|Michaľovce|Spišská|Komárno|Levičé|Liptovský|Mikuláš|Ružomberok|Piešťany|Topoľčany|Čadca|Rimavská|Šaľa|Dunajská|Galánta|Púchov|Skalicá|Detvä|Kežmarok'
    )
  },
  hu: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'László|István|József|János|Zoltán|Sándor|Gábor|Mária|Erzsébet|Ilonácska|Éva|Ágnes|Tamás|Péter|Mátyás|György|Ödön|Őrs|Jenő|Gergő|Dezső|Győző|Ernő|Zsófia|Ányos|Béla|Géza|Ünige|Márton|Szabó|Tóth|Horváth|Kovács|Németh|Balázs|Mészáros|Fülöp|Gál|Fehér|Kőszegi|Szűcs|Lőrincz|Hegedűs|Vörös|Kövér|Erdős|Fűzi|Bíró|Pápai|Csörgő|Dömötör|Bodnár|Gulyás|Szőke|Kőműves|Nyírő|Győr|Pécs|Székesfehérvár|Nyíregyháza|Kecskemét|Szolnók|Tatabánya|Kaposvár|Békéscsaba|Veszprém|Gödöllő|Hódmezővásárhely|Dunaújváros|Érd|Mosonmagyaróvár|Gyöngyös|Makó|Cegléd|Esztergőm|Szentendré|Várpalota|Kiskunhalás|Pápa|Törökszentmiklós|Hatvanő|Fertőd'
    )
  },
  ro: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'Ştefan|Mădălina|Cătălin|Răzvan|Ioniţă|Nicuşor|Mihăiţă|Bogdănel|Lăcrămioara|Codruţa|Măriuca|Ancuţa|Păun|Gheorghiţă|Costică|Săndel|Ţica|Fănică|Dănuţ|Brânduşa|Sânziana|Tiţa|Încă|Măriţa|Ghiţă|Luminiţa|Vlăduţ|Săvin|Stănescu|Văcărescu|Bălan|Niţă|Ţăranu|Pătraşcu|Mureşan|Crăciun|Bărbulescu|Dănilă|Brâncuşi|Bârlă|Lăzărescu|Păunescu|Sârbu|Ştefănescu|Moţoc|Rădulescu|Ciucă|Ioniţoaia|Pârvu|Mânzatu|Grigoraş|Tănase|Boţan|Căpăţână|Cârstea|Fătu|Ţîrlea|Bucureşti|Timişoara|Constanţa|Braşov|Galaţi|Ploieşti|Brăila|Piteşti|Bacău|Târgu|Mureş|Buzău|Botoşani|Râmnicu|Vâlcea|Suceavă|Neamţ|Târgovişte|Focşani|Bistriţa|Reşiţa|Călăraşi|Hunedoăra|Bârlad|Câmpina|Făgăraş|Mediaş|Sighişoara'
    )
  },
  hr: {
    characterSets: ['windows-1250', 'iso-8859-2'],
    names: names(
      'Željko|Šime|Krešimir|Đurđa|Božo|Branković|Anđela|Dražen|Snježana|Siniša|Tomić|Nataša|Božena|Željka|Mišo|Saša|Ružica|Miloš|Zdravković|Grozdanić|Đuro|Ćiro|Čedo|Žarko|Štefica|Vjekoslavić|Nikša|Živko|Kovačević|Babić|Marić|Jurić|Novaković|Kovačić|Vuković|Knežević|Marković|Petrović|Matić|Tomić|Pavlović|Kovač|Božić|Blažević|Grgić|Pavić|Radić|Perić|Filipović|Šarić|Lovrić|Vidović|Perković|Popović|Bošnjak|Jukić|Barišić|Đokić|Šimić|Žanić|Čavka|Hodžić|Šibenik|Požega|Varaždin|Križevci|Đakovo|Čakovec|Županja|Poreč|Petrinjač|Međugorje|Sinjš|Našice|Orebić|Senjć|Omiš|Trogirč|Metković|Ploče|Novigradž|Virovitič|Manastirš|Šolta|Žminj|Krašić'
    )
  },
  tr: {
    characterSets: ['windows-1254', 'iso-8859-3'],
    names: names(
      'Ayşe|Çağla|Gökhan|Ömer|Şükrü|Işıl|İbrahim|Özlem|Gülşen|Müge|Tuğba|Yiğit|Oğuz|İsmail|Hüseyin|Çetin|Barış|Şule|Aslı|Çınar|Gülay|Özgür|Yağmur|Doğan|Nazlı|Uğur|İpek|Süleyman|Ülkü|Yılmaz|Şahin|Çelik|Yıldız|Yıldırım|Öztürk|Aydın|Özdemir|Doğan|Kılıç|Çetin|Koç|Özkan|Şimşek|Özcan|Çakır|Erdoğan|Şen|Aktaş|Güler|Yalçın|Güneş|İstanbul|İzmir|Eskişehir|Diyarbakır|Şanlıurfa|Kahramanmaraş|Muğla|Çanakkale|Tekirdağ|Balıkesir|Kütahya|Iğdır|Ağrı|Muş|Gümüşhane|Nevşehir|Niğde|Aydın|Çorum|Elazığ|Uşak|Kırşehir|Bingöl|Düzce|Karabük|Kırıkkale|Şırnak|Bartın|Çankırı'
    )
  },
  lt: {
    characterSets: ['windows-1257', 'iso-8859-13', 'iso-8859-4'],
    names: names(
      'Žydrūnas|Rūta|Eglė|Daivė|Šarūnas|Mindaugė|Gražina|Živilė|Jūratė|Viktorė|Algirdūnas|Česlovas|Ąžuolas|Raimondė|Aušra|Saulė|Danutė|Birutė|Kęstutis|Giedrė|Ugnė|Gabrielė|Liepaitė|Žilvinas|Vytė|Audronė|Stasė|Šimas|Ainė|Gediminė|Dovilė|Jankauskaitė|Petrauskienė|Žukauskas|Stankevičius|Butkevičienė|Paulauskaitė|Urbonavičius|Šimkus|Kavaliauskė|Žemaitis|Čepas|Rimkutė|Baranauskaitė|Savickienė|Mažeika|Kučinskas|Ramanauskė|Vaitkevičius|Gricytė|Būga|Šleževičius|Jokūbaitis|Gečas|Norkūnas|Mickevičius|Balčiūnas|Sakalauskaitė|Žilinskas|Mikalauskienė|Grigaitė|Šiauliai|Panevėžys|Klaipėda|Marijampolė|Mažeikiai|Jonavaitė|Telšiai|Tauragė|Ukmergė|Visaginė|Plungė|Šilutė|Radviliškis|Druskininkų|Palangà|Rokiškis|Biržai|Gargždai|Kuršėnai|Elektrėnai|Jurbarkų|Garliavė|Vilkaviškis|Raseinių|Anykščiai|Akmenė|Zarasų|Širvintos|Kėdainiai'
    )
  },
  el: {
    characterSets: ['windows-1253', 'iso-8859-7'],
    names: names(
      'Γιώργος|Δημήτρης|Κώστας|Ιωάννης|Νίκος|Μαρία|Ελένη|Κατερίνα|Βασίλης|Παναγιώτης|Χρήστος|Αθανάσιος|Σοφία|Άννα|Γεωργία|Ευαγγελία|Αγγελική|Σπύρος|Θανάσης|Ηλίας|Μιχάλης|Στέλιος|Φώτης|Ζωή|Ειρήνη|Άγγελος|Όλγα|Έλλη|Παπαδόπουλος|Παπαδοπούλου|Γεωργίου|Δημητρίου|Νικολάου|Οικονόμου|Βασιλείου|Αγγελόπουλος|Κωνσταντίνου|Ιωάννου|Καραγιάννης|Μακρής|Παππάς|Ζαχαρίας|Θεοδώρου|Αλεξίου|Σαμαράς|Τσίπρας|Μητσοτάκης|Χατζής|Ξενάκης|Ψαρράς|Λάμπρου|Ράπτης|Φωτίου|Αθήνα|Θεσσαλονίκη|Πάτρα|Ηράκλειο|Λάρισα|Βόλος|Ιωάννινα|Χανιά|Καβάλα|Καλαμάτα|Ρόδος|Κέρκυρα|Σπάρτη|Άργος|Ξάνθη|Δράμα|Κομοτηνή|Τρίπολη|Χίος|Μυτιλήνη|Έδεσσα|Άρτα|Πειραιάς|Κοζάνη|Ναύπλιο'
    )
  },
  ru: {
    characterSets: ['windows-1251', 'koi8-r', 'ibm866', 'x-mac-cyrillic', 'iso-8859-5'],
    names: names(
      'Александр|Сергей|Дмитрий|Алексей|Андрей|Иван|Михаил|Николай|Владимир|Екатерина|Анна|Мария|Ольга|Наталья|Елена|Татьяна|Ирина|Светлана|Юлия|Пётр|Фёдор|Артём|Ксения|Людмила|Галина|Виктор|Юрий|Эдуард|Яна|Жанна|Иванов|Смирнова|Кузнецов|Попов|Васильева|Петров|Соколов|Михайлова|Новиков|Фёдорова|Морозов|Волков|Алексеев|Лебедева|Семёнов|Егоров|Павлова|Козлов|Степанова|Николаев|Орлов|Андреева|Макаров|Никитин|Захарова|Щербаков|Цветков|Чернышёв|Хомяков|Юдин|Москва|Санкт-Петербург|Новосибирск|Екатеринбург|Казань|Нижний|Новгород|Челябинск|Самара|Омск|Ростов-на-Дону|Уфа|Красноярск|Воронеж|Пермь|Волгоград|Краснодар|Саратов|Тюмень|Тольятти|Ижевск|Барнаул|Иркутск|Ульяновск|Хабаровск|Ярославль|Владивосток|Томск|Оренбург|Кемерово|Рязань'
    )
  },
  uk: {
    characterSets: ['windows-1251', 'koi8-u', 'x-mac-cyrillic', 'iso-8859-5'],
    names: names(
      'Олександр|Андрій|Сергій|Володимир|Іван|Микола|Юрій|Василь|Михайло|Олена|Наталія|Ірина|Оксана|Тетяна|Людмила|Юлія|Вікторія|Христина|Соломія|Софія|Ярослав|Тарас|Богдан|Остап|Євген|Євгенія|Зоряна|Дмитро|Любов|Їжак|Шевченко|Мельник|Коваленко|Бондаренко|Бойко|Ткаченко|Кравченко|Ковальчук|Коваль|Олійник|Шевчук|Поліщук|Іванчук|Ткачук|Савченко|Марченко|Руденко|Мороз|Лисенко|Петренко|Клименко|Гончаренко|Захарчук|Єременко|Їжакевич|Хоменко|Зінченко|Щербина|Яценко|Ющенко|Київ|Харків|Одеса|Дніпро|Львів|Запоріжжя|Кривий|Ріг|Миколаїв|Вінниця|Херсон|Полтава|Чернігів|Черкаси|Житомир|Суми|Хмельницький|Чернівці|Рівне|Тернопіль|Луцьк|Ужгород|Кропивницький|Мукачево|Бердичів|Єнакієве|Ізмаїл|Умань|Біла|Церква|Бровари|Коломия'
    )
  },
  bg: {
    characterSets: ['windows-1251', 'x-mac-cyrillic', 'iso-8859-5'],
    names: names(
      'Георги|Димитър|Иван|Николай|Стефан|Йордан|Красимир|Радослав|Мария|Елена|Десислава|Цветелина|Гергана|Йорданка|Пенка|Росица|Здравка|Бойко|Пламен|Любомир|Ангел|Веселин|Иванов|Георгиева|Димитров|Петрова|Стоянов|Тодоров|Ангелова|Христов|Попов|Василев|Йорданов|Колева|Маринов|Ценов|Желев|Божков|Кръстев|Щерев|Първанов|Стоичков|Бърдаров|София|Пловдив|Варна|Бургас|Русе|Плевен|Сливен|Добрич|Шумен|Перник|Хасково|Ямбол|Казанлък|Благоевград|Велико|Търново|Враца|Габрово|Асеновград|Кърджали|Търговище|Кюстендил'
    )
  },
  lv: {
    characterSets: ['windows-1257', 'iso-8859-13', 'iso-8859-4'],
    names: names(
      'Jānis|Andrejš|Pēteris|Māris|Edgārs|Kārlis|Ilzīte|Dzintra-Ā|Līga|Inese-Ņ|Kristīne|Mārtiņš|Raimonds-Š|Ķirsis|Ģirts|Žanete|Ēriks|Ādolfs|Zigfrīds|Vēsma|Ļubova|Laimonīs|Bērziņš|Kalniņš|Ozoliņa|Jansone-Krūmiņa|Liepiņš|Krūmiņš|Balodis-Ē|Eglītis|Zariņš|Pētersone|Vītols|Kļaviņš|Kārkliņš|Vanagā|Vilciņš|Šmits|Āboliņš|Strazdiņa|Dūmiņš|Ķēniņš|Priedītis|Gulbītis|Rīga|Liepāja|Daugavpilš|Jelgavā|Jūrmala|Ventspilī|Rēzekne|Jēkabpils|Ogrē|Valmierā|Cēsis|Tukumā|Salaspilī|Kuldīga|Olainē|Saldū|Sigulda-Ķ|Dobelē|Krāslava|Bauskā|Ludzā|Līvāni|Alūksne|Gulbenē|Ķegums'
    )
  },
  vi: {
    characterSets: ['windows-1258'],
    names: names(
      'Nguyệt|Hương|Dũng|Hùng|Thảo|Hằng|Đức|Tuấn|Phượng|Thủy|Ngọc|Bích|Cường|Hạnh|Yến|Trọng|Phúc|Thị|Hồng|Quỳnh|Đạt|Sơn|Vũ|Kiên|Định|Tâm|Thúy|Hiếu|Tú|Thắng|Duyên|Hà|Mỹ|Quốc|Nguyễn|Trần|Lê|Phạm|Huỳnh|Đình|Võ|Vũ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý|Đinh|Đoàn|Lâm|Trịnh|Trương|Mạc|Tử|Bá|Hà|Tạ|Tô|Châu|Quách|Thái|Lương|Vương|Hà|Nội|Đà|Nẵng|Hải|Phòng|Cần|Thơ|Huế|Khánh|Hòa|Vũng|Tàu|Biên|Hòa|Đà|Lạt|Nhơn|Buôn|Thuột|Thái|Nguyên|Định|Hạ|Mỹ|Rạch|Giá|Cà|Thiết|Xuyên|Mỹ|Hóa|Đồng|Hới|Hồ|Chí|Sóc|Trăng|Bạc|Liêu|Việt|Trì|Lào|Điện|Biên|Tây|Bến|Đồng|Tháp'
    )
  },
  ja: {
    characterSets: ['shift_jis', 'euc-jp'],
    names: names(
      '太郎|花子|健一|裕子|美咲|翔太|大輔|陽子|直樹|恵美|さくら|誠|隆|由美子|和夫|洋介|千尋|拓也|彩|麻衣|蓮|葵|結衣|悠斗|ひろし|あゆみ|まさこ|幸子|正|清|ケン|マリ|真一|俊介|孝|祐介|栄作|久美子|亮|舞|佐藤|鈴木|高橋|田中|渡辺|伊藤|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|林|清水|斎藤|阿部|森|池田|橋本|石川|前田|藤田|小川|岡田|後藤|長谷川|村上|近藤|石井|坂本|遠藤|青木|藤井|西村|福田|三浦|藤原|岡本|松田|中島|原田|小野|竹内|金子|和田|東京都|大阪市|横浜市|名古屋市|札幌市|神戸市|京都市|福岡市|川崎市|さいたま市|広島市|仙台市|北九州市|千葉市|堺市|新潟市|浜松市|熊本市|相模原市|岡山市|静岡市|鹿児島市|長崎市|金沢市|宇都宮市|松山市|那覇市|盛岡市|奈良市|高知市'
    )
  },
  zh: {
    characterSets: ['gb18030'],
    names: names(
      '伟|芳|娜|秀英|敏|静|丽|强|磊|军|洋|勇|艳|杰|娟|涛|明|超|秀兰|霞|平|刚|桂英|建华|志强|晓东|海燕|雪梅|文博|子轩|雨桐|浩然|梓萱|思远|佳怡|俊杰|欣妍|宇航|晨曦|国庆|玉珍|红梅|小龙|振华|王|李|张|刘|陈|杨|黄|赵|吴|周|徐|孙|马|朱|胡|郭|何|高|林|罗|郑|梁|谢|宋|唐|许|韩|冯|邓|曹|彭|曾|萧|田|董|袁|潘|蒋|蔡|欧阳|诸葛|司马|上官|夏侯|北京市|上海市|广州市|深圳市|成都市|杭州市|武汉市|西安市|南京市|天津市|重庆市|苏州市|青岛市|大连市|沈阳市|长沙市|郑州市|宁波市|厦门市|哈尔滨市|济南市|合肥市|昆明市|福州市|南昌市|贵阳市|太原市|石家庄市|乌鲁木齐市|呼和浩特市'
    )
  },
  tw: {
    characterSets: ['big5'],
    names: names(
      '志明|春嬌|俊傑|怡君|雅婷|淑芬|建宏|家豪|美玲|淑惠|宗翰|冠宇|承恩|詩涵|欣怡|心怡|宜蓁|柏翰|彥廷|宥廷|品妍|子晴|麗華|秀鳳|金龍|國榮|振興|文雄|惠美|玉蘭|雪芳|明哲|啟賢|瑞祥|慧敏|嘉玲|思穎|靜宜|偉倫|曉雯|陳|林|黃|張|李|王|吳|劉|蔡|楊|許|鄭|謝|郭|洪|曾|邱|廖|賴|周|徐|蘇|葉|莊|呂|江|何|蕭|羅|歐陽|高|潘|簡|朱|鍾|彭|游|詹|胡|施|沈|余|盧|梁|台北市|高雄市|台中市|臺南市|桃園市|新竹市|基隆市|嘉義市|宜蘭縣|花蓮縣|屏東縣|彰化縣|南投縣|雲林縣|苗栗縣|澎湖縣|金門縣|板橋區|淡水區|三重區|永和區|鳳山區|香港|九龍|新界|澳門|沙田區|旺角|銅鑼灣|豐原區'
    )
  },
  ko: {
    characterSets: ['euc-kr'],
    names: names(
      '민준|서연|지훈|수빈|영수|영희|철수|미경|은정|현우|지우|서준|도윤|하은|예준|시우|주원|지민|유진|혜진|성호|동현|상훈|미숙|경희|정숙|순자|광수|재석|태형|나연|다현|보검|소영|인영|진호|승기|용준|희철|태희|김|이|박|최|정|강|조|윤|장|임|한|오|서|신|권|황|안|송|류|전|홍|고|문|양|손|배|백|허|유|남|심|노|하|곽|성|차|주|우|남궁|선우|서울|부산|대구|인천|광주|대전|울산|세종|수원시|성남시|고양시|용인시|창원시|청주시|전주시|천안시|안산시|안양시|남양주시|화성시|제주시|포항시|강릉시|춘천시|원주시|목포시|여수시|순천시|경주시|김해시'
    )
  },
  he: {
    characterSets: ['windows-1255', 'iso-8859-8'],
    names: names(
      'משה|דוד|יוסף|אברהם|יעקב|שרה|רחל|לאה|מרים|חנה|אסתר|יצחק|שמואל|נועה|תמר|איתן|אורי|גיל|יהונתן|מיכל|רונית|צביקה|כהן|לוי|מזרחי|פרץ|ביטון|דהן|אברהם|פרידמן|אזולאי|מלכה|כץ|יוסף|דוד|עמר|אוחיון|חדד|גבאי|בןדוד|אדרי|לויין|טל|קליין|ירושלים|תלאביב|חיפה|אשדוד|נתניה|רמתגן|חולון|בארשבע|אשקלון|רחובות|הרצליה|כפרסבא|חדרה|מודיעין|נצרת|לוד|רמלה|רעננה|אילת|עכו|טבריה|צפת'
    )
  },
  ar: {
    characterSets: ['windows-1256', 'iso-8859-6'],
    names: names(
      'محمد|أحمد|علي|حسن|حسين|فاطمة|عائشة|خديجة|مريم|زينب|عمر|عثمان|خالد|يوسف|إبراهيم|عبدالله|سعيد|ليلى|نور|هدى|طارق|مصطفى|المصري|الحسيني|العلي|الخطيب|النجار|الشريف|حداد|خوري|صالح|منصور|ناصر|عباس|الهاشمي|التميمي|القحطاني|الغامدي|الشمري|العتيبي|الدوسري|الزهراني|البغدادي|السوري|القاهرة|الإسكندرية|الجيزة|الرياض|جدة|مكة|المدينة|الدمام|بغداد|البصرة|الموصل|دمشق|حلب|حمص|بيروت|طرابلس|عمان|الزرقاء|دبي|أبوظبي|الشارقة|الدوحة'
    )
  }
}
